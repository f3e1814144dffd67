// SPDX-License-Identifier: MIT
#include "benchmarks/share_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/svg_text.hpp"

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
    std::string text = kgen_mark(x + 5, y) + svg_text(x + 14, y + 4, "start", "kgen");
    x += 64;
    for (const std::string& peer : picture.peers) {
        text += peer_mark(x + 5, y, picture.colour(peer)) + svg_text(x + 14, y + 4, "start", peer);
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
        text += svg_line(picture.x(share), top, picture.x(share), end, "stroke=\"#dddddd\"");
        text += svg_text(picture.x(share), top - 8, "middle", fmt::format("{:.1f}", share));
    }
    text += svg_line(
        picture.x(1), top - 4, picture.x(1), end, "stroke=\"#222222\" stroke-width=\"1.5\"");
    return text;
}

}  // namespace

std::string share_plot(const Report& report, const std::vector<PeerRow>& peers) {
    const Picture picture = make_picture(report, peers);
    std::string text = svg_start(left + width + right, picture.height());
    text += svg_text(
        left, 22, "start", fmt::format("Share of a copy of the same run, {}", report.device_name));
    text += legend(picture) + axis(picture);
    for (std::size_t k = 0; k < picture.rows.size(); ++k) {
        const Row& row = *picture.rows[k];
        const double y = Picture::y(k);
        text += svg_text(left - 8, y + 4, "end", row.name);
        text +=
            svg_line(left, y, picture.x(*row.share), y, "stroke=\"#b8d8cb\" stroke-width=\"5\"");
        for (const PeerRow* mark : picture.marks) {
            if (mark->case_name != row.name) continue;
            text += peer_mark(picture.x(*mark->share), y, picture.colour(mark->peer));
        }
        text += kgen_mark(picture.x(*row.share), y);
        text += svg_text(left + width + 8, y + 4, "start", fmt::format("{:.3f}", *row.share));
    }
    return text + "</svg>\n";
}

}  // namespace kgen::bench
