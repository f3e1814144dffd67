// SPDX-License-Identifier: MIT
#include <string>

#include "cli/text/size_text.hpp"
#include "support/catch.hpp"

using namespace kgen::cli;

TEST_CASE("sizes are written in the unit that fits") {
    CHECK(size_text(0) == "0 B");
    CHECK(size_text(1023) == "1023 B");
    CHECK(size_text(1024) == "1.0 KiB");
    CHECK(size_text(1536) == "1.5 KiB");
    CHECK(size_text(1024 * 1024 - 1) == "1.0 MiB");
    CHECK(size_text(std::uint64_t{1} << 30) == "1.0 GiB");
    CHECK(size_text(UINT64_MAX) == "16384.0 PiB");
}

TEST_CASE("sizes are read whole or not at all") {
    CHECK(parse_size("0") == 0);
    CHECK(parse_size("500") == 500);
    CHECK(parse_size("500B") == 500);
    CHECK(parse_size("500M") == std::uint64_t{500} << 20);
    CHECK(parse_size("2KB") == 2048);
    CHECK(parse_size("3GiB") == std::uint64_t{3} << 30);
    CHECK(parse_size("16777215T") == std::uint64_t{16777215} << 40);
    for (const char* text : {"",
                             "M",
                             "-1",
                             "+1",
                             " 1",
                             "1 ",
                             "1.5G",
                             "1e3",
                             "1m",
                             "1Mi",
                             "1MBs",
                             "16777216T",
                             "99999999999999999999"}) {
        INFO(text);
        CHECK_FALSE(parse_size(text));
    }
}

TEST_CASE("ages are read whole or not at all") {
    CHECK(parse_age("45s") == 45);
    CHECK(parse_age("2m") == 120);
    CHECK(parse_age("3h") == 10800);
    CHECK(parse_age("30d") == 30 * 86400);
    CHECK(parse_age("1w") == 604800);
    for (const char* text :
         {"", "d", "30", "-1d", "1.5d", "30 d", "30days", "99999999999999999w"}) {
        INFO(text);
        CHECK_FALSE(parse_age(text));
    }
}

TEST_CASE("ages are written in the unit that fits") {
    CHECK(age_text(-5) == "0 s");
    CHECK(age_text(59) == "59 s");
    CHECK(age_text(3599) == "59 min");
    CHECK(age_text(47 * 3600) == "47 h");
    CHECK(age_text(49 * 3600) == "2 days");
}

TEST_CASE("counts have their noun in the right number") {
    CHECK(counted(1, "file") == "1 file");
    CHECK(counted(0, "file") == "0 files");
    CHECK(counted(1, "entry") == "1 entry");
    CHECK(counted(2, "entry") == "2 entries");
}
