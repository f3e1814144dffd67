// SPDX-License-Identifier: MIT
//
// Checks the table in battery.md: it has every case, and the tests that it names exist.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace {

namespace fs = std::filesystem;
const std::string tests = KGEN_SOURCE_DIR "/tests";

std::string contents(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Returns the first argument of each TEST_CASE, which is one string literal or several adjacent ones.
std::set<std::string> test_names() {
    static const std::regex test_case(R"re(\nTEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+))re");
    static const std::regex literal(R"re("((?:[^"\\]|\\.)*)")re");
    std::set<std::string> names;
    for (const auto& item : fs::recursive_directory_iterator(tests)) {
        if (item.path().extension() != ".cpp") continue;
        const std::string text = contents(item.path());
        for (std::sregex_iterator at(text.begin(), text.end(), test_case), end; at != end; ++at) {
            const std::string argument = (*at)[1];
            std::string name;
            for (std::sregex_iterator part(argument.begin(), argument.end(), literal); part != end;
                 ++part) {
                name += (*part)[1];
            }
            names.insert(name);
        }
    }
    return names;
}

struct Row {
    std::string number;
    std::string what;
    std::string covered_by;
};

std::vector<Row> rows() {
    static const std::regex pattern(R"(\| ([A-J]\d\d) \| (.*) \| (.*) \|)");
    std::ifstream file(tests + "/battery.md");
    std::vector<Row> rows;
    for (std::string line; std::getline(file, line);) {
        std::smatch match;
        if (std::regex_match(line, match, pattern)) rows.push_back({match[1], match[2], match[3]});
    }
    return rows;
}

}  // namespace

TEST_CASE("the table of the battery has every case once and in order") {
    std::vector<std::string> expected;
    for (const auto& [letter, last] :
         {std::pair{'A', 25}, {'B', 20}, {'C', 8}, {'D', 15}, {'E', 32}, {'G', 25}}) {
        for (int k = 1; k <= last; ++k) {
            expected.push_back(letter + std::string(k < 10 ? "0" : "") + std::to_string(k));
        }
    }
    std::vector<std::string> found;
    for (const Row& row : rows()) found.push_back(row.number);
    CHECK(found == expected);
}

TEST_CASE("the tests that the table of the battery names are there") {
    static const std::regex quoted("`([^`]*)`");
    const std::set<std::string> names = test_names();
    CHECK(names.size() > 500);
    std::string missing;
    for (const Row& row : rows()) {
        const std::string& text = row.covered_by;
        for (std::sregex_iterator at(text.begin(), text.end(), quoted), end; at != end; ++at) {
            if (names.count((*at)[1]) == 0) missing += row.number + ": " + (*at)[1].str() + "\n";
        }
    }
    CHECK(missing == "");
}
