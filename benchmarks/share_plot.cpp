// SPDX-License-Identifier: MIT
#include "benchmarks/share_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kgen::bench {

namespace {

constexpr int left = 230;   // space for the names of the cases, left of the axis
constexpr int width = 640;  // length of the axis
constexpr int right = 60;   // space for kgen's share as a number
constexpr int top = 84;     // space for the title, the legend and the numbers of the axis
constexpr int row_step = 18;
constexpr int bottom = 24;
constexpr double least_axis = 1.2;

constexpr std::string_view kgen_colour = "#0b6e4f";
constexpr std::string_view peer_colours[] = {
    "#d1495b", "#3066be", "#edae49", "#7d5ba6", "#66717e", "#8c5e3c"};

std::string escaped(std::string_view text) {
    std::string result;
    for (const char letter : text) {
        switch (letter) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += letter;
        }
    }
    return result;
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                       x,
                       y,
                       anchor,
                       escaped(text));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n",
                       x1,
                       y1,
                       x2,
                       y2,
                       style);
}

std::string peer_mark(double x, double y, std::string_view colour) {
    return fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"none\" stroke=\"{}\" "
        "stroke-width=\"1.8\"/>\n",
        x,
        y,
        colour);
}

std::string kgen_mark(double x, double y) {
    return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"9\" height=\"9\" fill=\"{}\"/>\n",
                       x - 4.5,
                       y - 4.5,
                       kgen_colour);
}

struct Picture {
    std::vector<const Row*> rows;
    std::vector<const PeerRow*> marks;
    std::vector<std::string> peers;  // in the order of the legend
    double axis_end = least_axis;

    double x(double share) const { return left + share / axis_end * width; }
    static double y(std::size_t row) { return top + row_step * (static_cast<double>(row) + 0.5); }
    int height() const { return top + row_step * static_cast<int>(rows.size()) + bottom; }
    std::string_view colour(const std::string& peer) const {
        const auto at = std::find(peers.begin(), peers.end(), peer) - peers.begin();
        return peer_colours[static_cast<std::size_t>(at) % std::size(peer_colours)];
    }
};

Picture make_picture(const Report& report, const std::vector<PeerRow>& peers) {
    Picture picture;
    double largest = 0;
    for (const Row& row : report.rows) {
        if (!row.share) continue;
        picture.rows.push_back(&row);
        largest = std::max(largest, *row.share);
        for (const PeerRow& peer : peers) {
            if (peer.case_name != row.name || !peer.share) continue;
            picture.marks.push_back(&peer);
            largest = std::max(largest, *peer.share);
            if (std::find(picture.peers.begin(), picture.peers.end(), peer.peer) ==
                picture.peers.end()) {
                picture.peers.push_back(peer.peer);
            }
        }
    }
    picture.axis_end = std::max(least_axis, std::ceil(largest * 5 + 0.25) / 5);
    return picture;
}

std::string legend(const Picture& picture) {
    double x = left;
    const double y = 46;
    std::string text = kgen_mark(x + 5, y) + text_at(x + 14, y + 4, "start", "kgen");
    x += 64;
    for (const std::string& peer : picture.peers) {
        text += peer_mark(x + 5, y, picture.colour(peer)) + text_at(x + 14, y + 4, "start", peer);
        x += 30 + 7 * static_cast<double>(peer.size());
    }
    return text;
}

std::string axis(const Picture& picture) {
    const double end = picture.height() - bottom;
    std::string text;
    const int steps = static_cast<int>(std::lround(picture.axis_end * 5));
    // A long axis has only some of the lines, a dozen at most.
    const int every = std::max(1, (steps + 11) / 12);
    for (int step = 0; step <= steps; step += every) {
        const double share = step / 5.0;
        text += line(picture.x(share), top, picture.x(share), end, "stroke=\"#dddddd\"");
        text += text_at(picture.x(share), top - 8, "middle", fmt::format("{:.1f}", share));
    }
    text +=
        line(picture.x(1), top - 4, picture.x(1), end, "stroke=\"#222222\" stroke-width=\"1.5\"");
    return text;
}

}  // namespace

std::string share_plot(const Report& report, const std::vector<PeerRow>& peers) {
    const Picture picture = make_picture(report, peers);
    const int total_width = left + width + right;
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
        total_width,
        picture.height());
    text += text_at(
        left, 22, "start", fmt::format("Share of a copy of the same run, {}", report.device_name));
    text += legend(picture) + axis(picture);
    for (std::size_t k = 0; k < picture.rows.size(); ++k) {
        const Row& row = *picture.rows[k];
        const double y = Picture::y(k);
        text += text_at(left - 8, y + 4, "end", row.name);
        text += line(left, y, picture.x(*row.share), y, "stroke=\"#b8d8cb\" stroke-width=\"5\"");
        for (const PeerRow* mark : picture.marks) {
            if (mark->case_name != row.name) continue;
            text += peer_mark(picture.x(*mark->share), y, picture.colour(mark->peer));
        }
        text += kgen_mark(picture.x(*row.share), y);
        text += text_at(left + width + 8, y + 4, "start", fmt::format("{:.3f}", *row.share));
    }
    return text + "</svg>\n";
}

}  // namespace kgen::bench
