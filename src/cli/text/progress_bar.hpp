// SPDX-License-Identifier: MIT
//
// ProgressBar: how far long work is, on stderr: one line that is written over on a terminal, a plain line for
// each tenth elsewhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kgen::cli {

class ProgressBar {
public:
    explicit ProgressBar(bool on_terminal) : on_terminal_(on_terminal) {}
    // Of this process's stderr.
    static ProgressBar of_stderr();

    // The text that is to be written now; empty if nothing changes. `columns` is the terminal's width.
    std::string line(std::string_view what,
                     std::size_t done,
                     std::size_t all,
                     double seconds,
                     std::size_t columns);
    // Writes it.
    void show(std::string_view what, std::size_t done, std::size_t all, double seconds);
    // Takes the line away.
    void finish();

private:
    bool on_terminal_;
    bool is_shown_ = false;
    std::size_t tenths_ = 0;
};

}  // namespace kgen::cli
