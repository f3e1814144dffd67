// SPDX-License-Identifier: MIT
//
// ProgressBar: shows the progress of long work on stderr. On a terminal it is one line that is overwritten,
// elsewhere one line for each tenth.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kgen::cli {

class ProgressBar {
public:
    explicit ProgressBar(bool on_terminal) : on_terminal_(on_terminal) {}
    // The progress bar for the stderr of this process.
    static ProgressBar of_stderr();

    // Returns the text to write now; empty if nothing changes. `columns` is the terminal's width.
    std::string line(std::string_view what,
                     std::size_t done,
                     std::size_t all,
                     double seconds,
                     std::size_t columns);
    // Writes the text to stderr.
    void show(std::string_view what, std::size_t done, std::size_t all, double seconds);
    // Removes the line from the terminal.
    void finish();

private:
    bool on_terminal_;
    bool is_shown_ = false;
    std::size_t tenths_ = 0;
};

}  // namespace kgen::cli
