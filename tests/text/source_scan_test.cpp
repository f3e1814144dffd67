// SPDX-License-Identifier: MIT
#include "text/source_scan.hpp"

#include "support/catch.hpp"

using namespace kgen;

TEST_CASE("every spelling that reads a file is seen", "[text]") {
    for (const char* source : {"#include \"x.h\"",
                               "x\n  #  include <x>\n",
                               "%:include \"x.h\"",
                               "#import \"x.h\"",
                               "#/**/include \"x.h\"",
                               "#in\\\nclude \"x.h\"",
                               "#\\\n\\\ninclude <x>",
                               "#include_next <x>",
                               "#if __has_include(<x>)\n#endif",
                               "/* a */ #include <x>",
                               "#embed \"x\""}) {
        INFO(source);
        CHECK(reads_files(source, {}));
    }
    for (const char* source : {"include(x)",
                               "// #include <x>\n",
                               "/* \n#include <x>\n*/",
                               "int include = 1;",
                               "s = \"/*\"; // \"*/\n",
                               "#define include 1\n",
                               ""}) {
        INFO(source);
        CHECK_FALSE(reads_files(source, {}));
    }
    for (const char* option : {"-include", "-include=x.h", "--pre-include=x.h", "--include=x.h"}) {
        INFO(option);
        CHECK(reads_files("", {option}));
    }
    for (const char* option : {"-Ifolder", "--include-path=folder", "-DINCLUDE=1"}) {
        INFO(option);
        CHECK_FALSE(reads_files("", {option}));
    }
}

TEST_CASE("text that changes with time is seen", "[text]") {
    CHECK(depends_on_time("x = __TIME__[0];", {}));
    CHECK(depends_on_time("x = __DA\\\nTE__;", {}));
    CHECK(depends_on_time("", {"-DSTAMP=__TIMESTAMP__"}));
    CHECK_FALSE(depends_on_time("x = time;", {"-DTIME=1"}));
}
