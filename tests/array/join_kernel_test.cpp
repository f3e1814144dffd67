// SPDX-License-Identifier: MIT
//
// The kernels that join rows, on every device. The host also runs them, although arrays on the
// host do not need them.
#include "array/kernels/join_kernel.hpp"

#include <kgen/kgen.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "call/kernel_access.hpp"
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

// A call that joins matrices with these widths in units.
struct Call {
    int count;  // number of matrices of the kernel
    DType unit;
    std::vector<Bytes> matrices;
    std::vector<std::uint32_t> widths;
    bool woven;
};

// Runs the call on the bytes of `before` from `skipped` elements on, and returns all bytes.
Bytes joined(const Call& call, const Bytes& before, std::size_t skipped) {
    const std::size_t item = item_size(call.unit);
    const auto width = std::accumulate(call.widths.begin(), call.widths.end(), std::uint32_t{0});
    std::vector<Argument> arguments;
    std::vector<Argument> begins;
    std::uint32_t begin = 0;
    std::size_t total = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(call.count); ++k) {
        const bool is_given = k < call.matrices.size();
        const Bytes& matrix = call.matrices[is_given ? k : 0];
        arguments.emplace_back(from_bytes(matrix, call.unit));
        if (k > 0) begins.emplace_back(is_given ? begin : width);
        if (!is_given) continue;
        begin += call.widths[k];
        total += matrix.size() / item;
    }
    const Array memory = from_bytes(before, call.unit);
    const auto first = static_cast<std::int64_t>(skipped);
    const std::vector<Range> behind{Range{.start = first}};
    const Array result = memory.slice(behind);
    std::size_t threads = 0;
    if (call.woven) {
        const std::size_t chunk = array_kernels::chunk_bytes(call.count, item) / item;
        const std::size_t rows = total / width;
        arguments.emplace_back(std::uint64_t{rows});
        threads = (rows + chunk - 1) / chunk;
    } else {
        arguments.insert(arguments.end(), begins.begin(), begins.end());
        arguments.emplace_back(width);
        arguments.emplace_back(std::uint64_t{total});
        arguments.emplace_back(array_kernels::inverse_of(width));
        arguments.emplace_back(static_cast<std::uint32_t>(skipped));
        threads = ((skipped + total) * item + 15) / 16;
    }
    const auto kernel = KernelAccess::make<ElementwiseKernel>(
        call.woven ? array_kernels::weave(call.count) : array_kernels::join(call.count));
    kernel.call(arguments, {.outputs = {result}, .size = static_cast<std::int64_t>(threads)});
    return to_bytes(memory);
}

Call random_call(std::mt19937& random, int count, DType unit, bool woven) {
    Call call{count, unit, {}, {}, woven};
    const std::size_t rows = 1 + random() % 70;
    // Long rows have pieces that lie in one matrix.
    const std::uint32_t widest = random() % 2 == 0 ? 9 : 100;
    // A kernel for many matrices is also given fewer.
    const std::size_t given = call.woven || random() % 2 == 0 ? static_cast<std::size_t>(count)
                                                              : 2 + random() % (count - 1);
    for (std::size_t k = 0; k < given; ++k) {
        call.widths.push_back(call.woven ? 1 : 1 + static_cast<std::uint32_t>(random()) % widest);
        Bytes values(rows * call.widths.back() * item_size(unit));
        for (unsigned char& byte : values) byte = static_cast<unsigned char>(random());
        call.matrices.push_back(std::move(values));
    }
    return call;
}

Bytes row_by_row(const Call& call) {
    const std::size_t item = item_size(call.unit);
    const std::size_t rows = call.matrices[0].size() / item / call.widths[0];
    Bytes result;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < call.matrices.size(); ++k) {
            const std::size_t bytes = call.widths[k] * item;
            const unsigned char* first = call.matrices[k].data() + row * bytes;
            result.insert(result.end(), first, first + bytes);
        }
    }
    return result;
}

}  // namespace

TEST_CASE("the kernels of joins write rows side by side, and nothing before or behind them") {
    for (const Device device : present_devices()) {
        const DeviceScope scope(device);
        std::mt19937 random(11);
        const auto check = [&](int count, DType unit, bool woven) {
            const Call call = random_call(random, count, unit, woven);
            const std::size_t item = item_size(call.unit);
            const std::size_t skipped = call.woven ? 0 : random() % (16 / item);
            Bytes before(skipped * item, 0xab);
            Bytes expected = before;
            const Bytes rows = row_by_row(call);
            expected.insert(expected.end(), rows.begin(), rows.end());
            before.resize(expected.size(), 0xcd);
            expected.resize(expected.size() + 16 * item, 0xab);
            before.resize(expected.size(), 0xab);
            INFO(to_text(device) << ", kernel for " << count << ", " << to_text(call.unit)
                                 << (call.woven ? ", woven" : ""));
            REQUIRE(joined(call, before, skipped) == expected);
        };
        constexpr DType units[] = {uint8, uint16, uint32, uint64, complex128};
        for (int round = 0; round < 40; ++round) {
            for (const int count : array_kernels::join_counts)
                check(count, units[round % 5], false);
        }
        for (int count = 2; count <= array_kernels::join_counts.back(); ++count) {
            for (int round = 0; round < 10; ++round) check(count, units[round % 5], true);
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
