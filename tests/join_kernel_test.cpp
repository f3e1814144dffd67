// SPDX-License-Identifier: MIT
//
// The kernel that writes rows side by side, on every device: the host runs it too, though no array of the
// host needs it.
#include "api/join_kernel.hpp"

#include <cstring>
#include <kgen/kgen.hpp>
#include <random>
#include <vector>

#include "api/kernel_access.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using kgen::test::present_devices;

namespace {

using Bytes = std::vector<unsigned char>;
__extension__ using Wide = unsigned __int128;

Array from_bytes(const Bytes& bytes, DType unit) {
    return from_host(
        bytes.data(), unit, {static_cast<std::int64_t>(bytes.size() / item_size(unit))});
}

Bytes to_bytes(const Array& array) {
    Bytes bytes(static_cast<std::size_t>(array.size_bytes()));
    array.copy_to_host(bytes.data());
    return bytes;
}

// The call that joins matrices of these widths, in units; what is behind the result must stay.
Bytes joined(const ElementwiseKernel& kernel,
             const std::vector<Bytes>& matrices,
             const std::vector<std::uint32_t>& widths,
             std::uint32_t width,
             const Bytes& untouched,
             DType unit) {
    std::vector<Argument> arguments;
    std::vector<Argument> begins;
    std::uint32_t begin = 0;
    for (std::size_t k = 0; k < array_kernels::most_joined; ++k) {
        const bool is_given = k < matrices.size();
        arguments.emplace_back(from_bytes(matrices[is_given ? k : 0], unit));
        if (k > 0) begins.emplace_back(is_given ? begin : width);
        if (is_given) begin += widths[k];
    }
    std::size_t total = 0;
    for (const Bytes& each : matrices) total += each.size() / item_size(unit);
    arguments.insert(arguments.end(), begins.begin(), begins.end());
    arguments.emplace_back(width);
    arguments.emplace_back(std::uint64_t{total});
    arguments.emplace_back(array_kernels::inverse_of(width));
    const Array result = from_bytes(untouched, unit);
    const auto pieces = static_cast<std::int64_t>((total * item_size(unit) + 15) / 16);
    kernel.call(arguments, {.outputs = {result}, .size = pieces});
    return to_bytes(result);
}

}  // namespace

TEST_CASE("the kernel of joins writes rows side by side, and nothing behind them") {
    const auto kernel = KernelAccess::make<ElementwiseKernel>(array_kernels::join());
    for (const Device device : present_devices()) {
        const DeviceScope scope(device);
        std::mt19937 random(11);
        for (int round = 0; round < 150; ++round) {
            constexpr DType units[] = {uint8, uint16, uint32, uint64, complex128};
            const DType unit = units[round % 5];
            const std::size_t size = item_size(unit);
            const std::size_t count = 2 + random() % 7;
            const std::size_t rows = 1 + random() % 70;
            std::vector<std::uint32_t> widths;
            std::vector<Bytes> matrices;
            std::uint32_t width = 0;
            for (std::size_t k = 0; k < count; ++k) {
                widths.push_back(1 + static_cast<std::uint32_t>(random()) % 9);
                width += widths.back();
                Bytes values(rows * widths.back() * size);
                for (unsigned char& byte : values) byte = static_cast<unsigned char>(random());
                matrices.push_back(std::move(values));
            }
            Bytes expected;
            for (std::size_t row = 0; row < rows; ++row) {
                for (std::size_t k = 0; k < count; ++k) {
                    const auto first =
                        matrices[k].begin() + static_cast<std::ptrdiff_t>(row * widths[k] * size);
                    expected.insert(expected.end(),
                                    first,
                                    first + static_cast<std::ptrdiff_t>(widths[k] * size));
                }
            }
            Bytes untouched(expected.size(), 0xcd);
            untouched.resize(untouched.size() + 16 * size, 0xab);
            expected.resize(untouched.size(), 0xab);
            INFO(to_text(device) << ", " << count << " of " << rows << " rows, " << to_text(unit));
            REQUIRE(joined(kernel, matrices, widths, width, untouched, unit) == expected);
        }
    }
}

TEST_CASE("the inverse of a width gives the quotient, or one less") {
    std::mt19937_64 random(3);
    for (int round = 0; round < 100000; ++round) {
        const std::uint64_t width = 1 + (random() >> (32 + random() % 31));
        const std::uint64_t value = random() >> (1 + random() % 63);
        const Wide product = Wide{value} * array_kernels::inverse_of(width);
        const auto found = static_cast<std::uint64_t>(product >> 64);
        REQUIRE(value / width - found <= 1);
    }
}
