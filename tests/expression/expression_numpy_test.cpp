// SPDX-License-Identifier: MIT
//
// Writes random expressions and what kgen computes for them to a folder, for numpy_check.py. Runs only if
// KGEN_NUMPY_FOLDER names the folder.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "expression/random_expression.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using kgen::test::RandomExpression;

namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

class Recorder {
public:
    explicit Recorder(const std::string& folder)
        : lines_(folder + "/expressions.jsonl"), bytes_(folder + "/arrays.bin", std::ios::binary) {}

    nlohmann::json add(const Array& array) {
        std::vector<char> elements(static_cast<std::size_t>(array.size_bytes()));
        array.copy_to_host(elements.data());
        bytes_.write(elements.data(), static_cast<std::streamsize>(elements.size()));
        const std::size_t offset = offset_;
        offset_ += elements.size();
        return {{"dtype", to_text(array.dtype())},
                {"shape", std::vector<std::int64_t>(array.shape().begin(), array.shape().end())},
                {"offset", offset}};
    }
    void write(const nlohmann::json& line) { lines_ << line.dump() << '\n'; }

private:
    std::ofstream lines_;
    std::ofstream bytes_;
    std::size_t offset_ = 0;
};

nlohmann::json record(std::uint64_t seed, Device device, Recorder& recorder) {
    // Two of five are statements of rows, or all of them.
    const bool is_of_rows = seed % 5 < 2 || setting("KGEN_NUMPY_ROWS", 0) != 0;
    const auto form = is_of_rows ? RandomExpression::Form::rows : RandomExpression::Form::any;
    const RandomExpression random(seed, device, form);
    nlohmann::json line = {{"seed", seed}, {"text", random.text()}};
    for (const Array& each : random.arrays) line["arrays"].push_back(recorder.add(each));
    try {
        const Array result = random.build();
        line["result"] = recorder.add(result);
        // The second call is remembered, and must give the same bits.
        const Array again = random.build();
        CHECK(array_equal(result, again, {.equal_nan = true}));
    } catch (const TypeError& error) {
        line["error"] = {{"kind", "type"}, {"text", error.what()}};
    } catch (const ShapeError& error) {
        line["error"] = {{"kind", "shape"}, {"text", error.what()}};
    }
    return line;
}

}  // namespace

TEST_CASE("random expressions are written for NumPy", "[.][expression-numpy]") {
    const char* folder = std::getenv("KGEN_NUMPY_FOLDER");
    REQUIRE(folder != nullptr);
    Recorder recorder(folder);
    const std::uint64_t seed = setting("KGEN_NUMPY_SEED", 1);
    const std::uint64_t count = setting("KGEN_NUMPY_COUNT", 100);
    const Device device = test::present_devices().back();
    for (std::uint64_t k = 0; k < count; ++k) {
        INFO("seed " << seed + k);
        recorder.write(record(seed + k, device, recorder));
    }
}
