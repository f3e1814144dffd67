// SPDX-License-Identifier: MIT
//
// Contiguous elementwise kernels beside a copy of the same run.
//
//     kgen_bench [--log2 28] [--json FILE]
//
// Each case is checked against float64 at 4096 places before it is timed. The share is of a copy
// within the device (read + write); bytes are the least that the case must move.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "measurement.hpp"

namespace {

using namespace kgen;

struct Case {
    std::string name;
    ElementwiseKernel kernel;
    std::vector<DType> inputs;
    DType output;
    std::function<double(const double*)> reference;
    double tolerance;  // relative
};

// Random data of a dtype, large enough values that nothing is denormal, exactly representable as
// small integers or eighths so that every dtype holds them.
Array random_array(std::int64_t count, DType dtype, unsigned seed) {
    constexpr std::int64_t period = (1 << 20) - 3;
    std::mt19937 random(seed);
    std::vector<float> values(static_cast<std::size_t>(std::min(count, period)));
    const bool integer = kind_of(dtype) == DTypeKind::unsigned_integer ||
                         kind_of(dtype) == DTypeKind::signed_integer;
    for (float& value : values) {
        const auto step = static_cast<int>(random() % 96);
        value = integer ? static_cast<float>(step) : static_cast<float>(step - 48) / 8;
    }
    // The period is repeated by copies, so that the host holds only a part of it.
    const Array part = from_vector(values).astype(dtype);
    Array whole = empty({count}, dtype);
    for (std::int64_t at = 0; at < count; at += period) {
        const std::int64_t length = std::min(period, count - at);
        whole.slice({{at, at + length}}).assign(part.slice({{0, length}}));
    }
    return whole;
}

std::vector<Case> make_cases() {
    const auto axpb = [](const char* name) {
        return ElementwiseKernel("T x", "T y", "y = x * T(2) + T(3)", name);
    };
    const ElementwiseKernel squared_diff(
        "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff");
    const auto line = [](const double* x) { return x[0] * 2 + 3; };
    const auto square = [](const double* x) { return (x[0] - x[1]) * (x[0] - x[1]); };
    return {
        {"axpb float32", axpb("axpb_f32"), {float32}, float32, line, 1e-6},
        {"squared_diff float32", squared_diff, {float32, float32}, float32, square, 1e-6},
        {"axpb float64", axpb("axpb_f64"), {float64}, float64, line, 1e-12},
        {"squared_diff float64", squared_diff, {float64, float64}, float64, square, 1e-12},
        {"axpb float16", axpb("axpb_f16"), {float16}, float16, line, 2e-3},
        {"squared_diff float16", squared_diff, {float16, float16}, float16, square, 2e-3},
        {"axpb bfloat16", axpb("axpb_bf16"), {bfloat16}, bfloat16, line, 2e-2},
        {"increment uint8",
         ElementwiseKernel("T x", "T y", "y = x + 1", "increment"),
         {uint8},
         uint8,
         [](const double* x) { return x[0] + 1; },
         0},
        {"add uint8",
         ElementwiseKernel("T x, T y", "T z", "z = x + y", "add_u8"),
         {uint8, uint8},
         uint8,
         [](const double* x) { return x[0] + x[1]; },
         0},
        {"scale uint8 to float32",
         ElementwiseKernel("uint8 x", "float32 y", "y = x * 0.5f", "scale_u8"),
         {uint8},
         float32,
         [](const double* x) { return x[0] * 0.5; },
         0},
        {"tanh(sin x) + 0.1 x float32",
         ElementwiseKernel("T x", "T y", "y = tanh(sin(x)) + T(0.1) * x", "tanh_sin"),
         {float32},
         float32,
         [](const double* x) { return std::tanh(std::sin(x[0])) + 0.1 * x[0]; },
         1e-5},
    };
}

// The greatest relative error at places spread over the array, the last elements among them.
double largest_error(const Case& row, const std::vector<Array>& inputs, const Array& output) {
    const std::int64_t count = output.size();
    const std::int64_t places = std::min<std::int64_t>(count, 4096);
    const std::int64_t step = std::max<std::int64_t>(count / places, 1);
    const Range spread{(count - 1) % step, {}, step};
    std::vector<std::vector<double>> values;
    for (const Array& input : inputs)
        values.push_back(input.slice({spread}).astype(float64).to_vector<double>());
    const std::vector<double> found = output.slice({spread}).astype(float64).to_vector<double>();
    double worst = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
        double arguments[2] = {values[0][k], values.size() > 1 ? values[1][k] : 0};
        const double expected = row.reference(arguments);
        const double error = std::abs(found[k] - expected) / std::max(1.0, std::abs(expected));
        if (!(error <= worst)) worst = error;  // NaN counts as the worst
    }
    return worst;
}

}  // namespace

int main(int argc, char** argv) try {
    int log2 = 28;
    std::string json_path;
    for (int k = 1; k + 1 < argc; k += 2) {
        if (std::strcmp(argv[k], "--log2") == 0) log2 = std::atoi(argv[k + 1]);
        if (std::strcmp(argv[k], "--json") == 0) json_path = argv[k + 1];
    }
    const std::int64_t count = std::int64_t{1} << log2;
    const std::string device = to_text(current_device());
    nlohmann::json report = {
        {"schema", 1}, {"kgen", version()}, {"device", device}, {"elements", count}};
    for (const Finding& finding : inspect_system())
        report["system"][finding.subject] = finding.detail;

    const Array source = random_array(count, float32, 1);
    const Array target = empty({count}, float32);
    const bench::Quartiles copy = bench::time_ms([&] { target.assign(source); });
    const double limit = 2.0 * static_cast<double>(source.size_bytes()) / copy.median / 1e6;
    report["copy_gb_per_s"] = limit;
    fmt::print("{} elements on {}\n{:<30} {:>9} {:>9} {:>9} {:>9} {:>7}\n",
               count,
               device,
               "case",
               "median ms",
               "low",
               "high",
               "GB/s",
               "share");
    fmt::print("{:<30} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.0f} {:>7.3f}\n",
               "copy float32",
               copy.median,
               copy.low,
               copy.high,
               limit,
               1.0);
    bool all_right = true;
    for (const Case& row : make_cases()) {
        std::vector<Array> inputs;
        double bytes = static_cast<double>(count) * static_cast<double>(item_size(row.output));
        for (std::size_t k = 0; k < row.inputs.size(); ++k) {
            inputs.push_back(random_array(count, row.inputs[k], static_cast<unsigned>(k) + 2));
            bytes += static_cast<double>(inputs.back().size_bytes());
        }
        const Array output = full({count}, 77, row.output);
        std::vector<Argument> arguments(inputs.begin(), inputs.end());
        const CallOptions options{.outputs = {output}};
        row.kernel.call(arguments, options);
        const double error = largest_error(row, inputs, output);
        const bool right = error <= row.tolerance;
        all_right = all_right && right;
        const bench::Quartiles time = bench::time_ms([&] { row.kernel.call(arguments, options); });
        const double rate = bytes / time.median / 1e6;
        fmt::print("{:<30} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.0f} {:>7.3f}{}\n",
                   row.name,
                   time.median,
                   time.low,
                   time.high,
                   rate,
                   rate / limit,
                   right ? "" : fmt::format("  WRONG: relative error {}", error));
        report["cases"].push_back({{"name", row.name},
                                   {"median_ms", time.median},
                                   {"low_ms", time.low},
                                   {"high_ms", time.high},
                                   {"gb_per_s", rate},
                                   {"share", rate / limit},
                                   {"error", error},
                                   {"right", right}});
    }
    if (!json_path.empty()) std::ofstream(json_path) << report.dump(2) << '\n';
    return all_right ? 0 : 1;
} catch (const std::exception& error) {
    fmt::print(stderr, "kgen_bench: {}\n", error.what());
    return 1;
}
