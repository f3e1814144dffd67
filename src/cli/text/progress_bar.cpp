// SPDX-License-Identifier: MIT
#include "cli/text/progress_bar.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kgen::cli {

namespace {

constexpr std::size_t bar_length = 20;

std::string duration(double seconds) {
    const long long whole = std::llround(seconds);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::size_t terminal_columns() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

void write(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

}  // namespace

ProgressBar ProgressBar::of_stderr() {
    return ProgressBar(::isatty(STDERR_FILENO) == 1);
}

std::string ProgressBar::line(
    std::string_view what, std::size_t done, std::size_t all, double seconds, std::size_t columns) {
    if (all == 0) return {};
    const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
    const double left = rate > 0 ? static_cast<double>(all - done) / rate : 0;
    const std::string figures =
        fmt::format("{}/{}  {:.0f}/s  {} left", done, all, rate, duration(left));
    if (!on_terminal_) {
        const std::size_t tenths = done * 10 / all;
        if (tenths == tenths_) return {};
        tenths_ = tenths;
        return figures + "\n";
    }
    const std::size_t filled = done * bar_length / all;
    std::string text = fmt::format("[{}{}] {}  {}",
                                   std::string(filled, '#'),
                                   std::string(bar_length - filled, ' '),
                                   figures,
                                   what);
    text.resize(std::min(text.size(), columns > 0 ? columns - 1 : 0));
    return "\r\x1b[K" + text;
}

void ProgressBar::show(std::string_view what, std::size_t done, std::size_t all, double seconds) {
    const std::string text = line(what, done, all, seconds, terminal_columns());
    if (text.empty()) return;
    write(text);
    is_shown_ = on_terminal_;
}

void ProgressBar::finish() {
    if (is_shown_) write("\r\x1b[K");
    is_shown_ = false;
}

}  // namespace kgen::cli
