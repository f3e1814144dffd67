// SPDX-License-Identifier: MIT
#include "cli/text/progress_bar.hpp"
#include "support/catch.hpp"

using kgen::cli::ProgressBar;

TEST_CASE("progress on a terminal is one line with what is done and the time that is left") {
    ProgressBar bar(true);
    CHECK(bar.line("sum (T = float32)", 50, 200, 10, 80) ==
          "\r\x1b[K[#####               ] 50/200  5/s  0:30 left  sum (T = float32)");
    CHECK(bar.line("add", 200, 200, 100, 80) ==
          "\r\x1b[K[####################] 200/200  2/s  0:00 left  add");
    // The line is cut so that it never wraps.
    CHECK(bar.line("sum (T = float32)", 50, 200, 10, 30) ==
          "\r\x1b[K[#####               ] 50/200");
    CHECK(bar.line("first", 0, 3, 0, 80) ==
          "\r\x1b[K[                    ] 0/3  0/s  0:00 left  first");
    CHECK(bar.line("nothing", 0, 0, 1, 80) == "");
}

TEST_CASE("progress elsewhere is a plain line for each tenth") {
    ProgressBar bar(false);
    CHECK(bar.line("a", 1, 100, 1, 80) == "");
    CHECK(bar.line("b", 10, 100, 2, 80) == "10/100  5/s  0:18 left\n");
    CHECK(bar.line("c", 19, 100, 3, 80) == "");
    CHECK(bar.line("d", 45, 100, 90, 80) == "45/100  0/s  1:50 left\n");
    CHECK(bar.line("e", 100, 100, 100, 80) == "100/100  1/s  0:00 left\n");
}
