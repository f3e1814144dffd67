// SPDX-License-Identifier: MIT
//
// Golden files: tests/golden/<name> holds the text that a test must produce, byte for byte. Run the
// tests with KGEN_UPDATE_GOLDEN=1 to rewrite the files, and read the difference before you commit it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace kgen::test {

// Returns the golden text. With KGEN_UPDATE_GOLDEN=1 the file is first overwritten with `actual`.
inline std::string golden(const std::string& name, const std::string& actual) {
    const std::string path = std::string(KGEN_SOURCE_DIR) + "/tests/golden/" + name;
    const char* update = std::getenv("KGEN_UPDATE_GOLDEN");
    if (update != nullptr && std::string(update) == "1") std::ofstream(path) << actual;
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace kgen::test
