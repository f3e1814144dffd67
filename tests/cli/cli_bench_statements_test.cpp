// SPDX-License-Identifier: MIT
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/command.hpp"

namespace {

// Element k of array `number` in the memory of a statement.
double element(std::int64_t k, std::int64_t number) {
    return static_cast<double>((k * 2654435761 + number * 40503) % (1 << 24)) * 0x1p-22 - 2;
}

void write(const Command& kgen, const std::string& name, const std::string& text) {
    std::ofstream(kgen.path(name)) << text;
}

// The message of a command that ends with `status`.
std::string message_of(const Command& kgen, const std::string& line, int status) {
    const CommandResult result = kgen.run_line(line);
    CHECK(result.exit_status == status);
    return result.messages;
}

}  // namespace

TEST_CASE("kgen bench --statements times the statements of a file and samples their results") {
    const Command kgen;
    write(kgen, "statements.json", R"json({"statements": [
        {"name": "a", "kind": "elementwise", "expression": "x0 * 2 + x1",
         "arrays": [{"dtype": "float64", "shape": [3, 5], "strides": [40, 8]},
                    {"dtype": "float64", "shape": [3, 5], "strides": [8, 24]}]},
        {"name": "b", "kind": "rows", "expression": "x0 - max(x0)",
         "arrays": [{"dtype": "float32", "shape": [4, 100], "strides": [400, 4]}]
},
        {"name": "c", "kind": "wrong", "expression": "x0 + y", "arrays": [{"dtype": "int8", "shape": [2], "strides": [1]}]}]
})json");
    ;
    const CommandResult result = kgen.run_line(
        "bench --statements statements.json --quick --device host --output times.json");
    INFO(result.output << result.messages);
    CHECK(result.exit_status == 1);  // the last statement
    const auto rows = nlohmann::json::parse(Command::read(kgen.path("times.json")))["statements"];
    REQUIRE(rows.size() == 3);
    CHECK(rows[0]["kernels"] == 1);
    CHECK(rows[0]["shape"] == nlohmann::json({3, 5}));
    CHECK(rows[0]["dtype"] == "float64");
    CHECK(rows[0]["median_ms"] > 0);
    REQUIRE(rows[0]["samples"].size() == 15);
    for (std::int64_t k = 0; k < 15; ++k) {
        const auto& sample = rows[0]["samples"][static_cast<std::size_t>(k)];
        CHECK(sample[0] == k);
        CHECK(sample[1] == element(k, 0) * 2 + element(k % 5 * 3 + k / 5, 1));
    }
    CHECK(rows[1]["kernels"] == 1);
    CHECK(rows[1]["samples"].size() == 64);
    CHECK(rows[2]["problem"].get<std::string>().find("'y' has no value") != std::string::npos);
}

TEST_CASE("kgen bench --statements says what is wrong with its file") {
    const Command kgen;
    write(kgen, "empty.json", "{}");
    write(kgen, "text.json", "x0 + x1");
    write(
        kgen,
        "dtype.json",
        R"({"statements": [{"name": "a", "kind": "b", "expression": "x0", "arrays": [{"dtype": "float7", "shape": [], "strides": []}]}]})");
    CHECK(message_of(kgen, "bench --statements none.json", 3) ==
          "kgen: none.json: cannot be read\n");
    CHECK(message_of(kgen, "bench --statements empty.json", 3)
              .starts_with("kgen: empty.json: is no file of statements: "));
    CHECK(message_of(kgen, "bench --statements text.json", 3)
              .starts_with("kgen: text.json: is no file of statements: "));
    CHECK(
        message_of(kgen, "bench --statements dtype.json", 3) ==
        "kgen: dtype.json: unknown dtype in {\"dtype\":\"float7\",\"shape\":[],\"strides\":[]}\n");
    CHECK(message_of(kgen, "bench copy --statements empty.json", 2)
              .starts_with("kgen: --statements runs the statements of the file alone"));
}
