// SPDX-License-Identifier: MIT
#include "benchmarks/limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/bare_driver.hpp"
#include "benchmarks/forced_loop.hpp"
#include "benchmarks/measurement.hpp"

namespace kgen::bench {

namespace {

constexpr std::int64_t element_count = std::int64_t{1} << 28;
constexpr double least_copy_h200 = 4200;

double rate(double bytes, const Quartiles& ms) {
    return bytes / ms.median / 1e6;
}

// Returns the read bandwidth in GB/s. Each thread reads 16 bytes at a time with four loads in flight.
double read_rate(const Array& source, Scale scale) {
    const ElementwiseKernel kernel(
        "raw float32 x",
        "raw float32 y",
        "const Quad* quads = (const Quad*)&x[0];\n"
        "const long long count = x.size() / 4;\n"
        "float sum = 0;\n"
        "for (long long k = i; k < count; k += 4 * n) {\n"
        "    Quad loaded[4];\n"
        "#pragma unroll\n"
        "    for (int j = 0; j < 4; ++j) loaded[j] = quads[k + j * n < count ? k + j * n : k];\n"
        "#pragma unroll\n"
        "    for (int j = 0; j < 4; ++j)\n"
        "        sum += loaded[j].a + loaded[j].b + loaded[j].c + loaded[j].d;\n"
        "}\n"
        "if (sum == 1234.5f) y[0] = sum;",
        "read_only",
        {.preamble = "struct alignas(16) Quad { float a, b, c, d; };"});
    const Array sink = zeros({1}, float32);
    double best = 0;
    for (const std::int64_t threads : {1 << 18, 1 << 20, 1 << 22, 1 << 24}) {
        const CallOptions options{.outputs = {sink}, .size = std::min(threads, source.size() / 4)};
        const std::vector<Argument> arguments = {source};
        const Quartiles ms = time_ms([&] { kernel.call(arguments, options); }, scale);
        best = std::max(best, rate(static_cast<double>(source.size_bytes()), ms));
    }
    return best;
}

double fill_rate(const Array& target, Scale scale) {
    const ElementwiseKernel kernel("", "T y", "y = T(1.5)", "write_only");
    const CallOptions options{.outputs = {target}};
    const Quartiles ms = time_ms([&] { kernel.call({}, options); }, scale);
    return rate(static_cast<double>(target.size_bytes()), ms);
}

double memset_rate(const Array& target, Scale scale) {
    if (target.device().kind() == DeviceKind::host) return 0;
    const Stream stream = current_stream(target.device());
    const auto bytes = static_cast<std::size_t>(target.size_bytes());
    const Quartiles ms =
        time_ms([&] { bare_memset(target.data(), 7, bytes, stream.handle()); }, scale);
    return rate(static_cast<double>(target.size_bytes()), ms);
}

}  // namespace

double Limits::write() const {
    return std::max(write_kernel, write_memset);
}

double Limits::floor_ms(const Traffic& traffic) const {
    const double written = traffic.written_bytes / traffic.bytes();
    // Time per byte between reading only and a copy, and between a copy and writing only.
    const double below = (1 - 2 * written) / read + 2 * written / copy;
    const double above = (2 - 2 * written) / copy + (2 * written - 1) / write();
    return traffic.bytes() * (written <= 0.5 ? below : above) / 1e6;
}

Limits measure_limits(Scale scale) {
    const ForcedLoop none("");  // a limit does not depend on the loop that the user names
    const Operand operand{float32, {element_count}};
    const OperandMemory source = OperandMemory::random(operand, scale, 1);
    const Array target = empty(source.view().shape(), float32);
    const Quartiles copy_ms = time_ms([&] { target.assign(source.view()); }, scale);
    return {.copy = rate(2.0 * static_cast<double>(target.size_bytes()), copy_ms),
            .read = read_rate(source.view(), scale),
            .write_kernel = fill_rate(target, scale),
            .write_memset = memset_rate(target, scale)};
}

std::string reason_void(const Limits& limits, const std::string& device) {
    if (device.find("H200") == std::string::npos || limits.copy >= least_copy_h200) return "";
    return fmt::format(
        "this run is void: a copy reaches {:.0f} GB/s, expected at least {:.0f} on an H200 that is "
        "idle and "
        "not throttled",
        limits.copy,
        least_copy_h200);
}

}  // namespace kgen::bench
