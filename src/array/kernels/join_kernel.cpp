// SPDX-License-Identifier: MIT
#include "array/kernels/join_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <embedded/array.hpp>
#include <limits>
#include <utility>

namespace kgen::array_kernels {

namespace {

// Lists the text of each matrix, separated by commas.
template <typename Text>
std::string list_of(int from, int to, const Text& text) {
    std::string list;
    for (int k = from; k < to; ++k) list += (list.empty() ? "" : ", ") + text(k);
    return list;
}

Definition definition_of(std::string name, int count, const std::string& numbers) {
    Definition definition;
    definition.name = std::move(name);
    definition.inputs =
        list_of(0, count, [](int k) { return fmt::format("raw T x{}", k); }) + ", " + numbers;
    definition.outputs = "raw T y";
    definition.preamble = embedded::array_join_cuh;
    return definition;
}

}  // namespace

// A thread writes 16 bytes. It finds the first matrix by a search in a table in shared memory, and the others by their order.
//
// Speed relative to a copy, measured on an H200 on 2026-11-26: 16 arrays of 16 MiB one after the other 0.977; 8 and 16 float32
// matrices of 100 columns 0.955 and 0.928, of three columns 0.880 and 0.797, of one column 0.906 and 0.813; uint8 matrices of 777
// columns 0.55. Comparisons with all matrices, which need no table, made 16 matrices of three columns 0.253.
Definition join(int count) {
    const auto begin = [](int k) { return fmt::format("begin{}", k); };
    Definition definition =
        definition_of(fmt::format("join{}", count),
                      count,
                      list_of(1, count, [&](int k) { return "uint32 " + begin(k); }) +
                          ", uint32 width, uint64 total, uint64 inverse, uint32 skipped");
    definition.loop_prep = fmt::format(
        "KGEN_TABLE kgen_source<T> kgen_sources[{0}];\n"
        "if (KGEN_FILLS_TABLE) {{\n"
        "    const kgen_source<T> all[] = {{{1}}};\n"
        "#pragma unroll\n"
        "    for (int k = 0; k < {0}; ++k) kgen_sources[k] = all[k];\n"
        "}}\n"
        "KGEN_TABLE_IS_FULL();",
        count,
        list_of(0, count, [&](int k) {
            return fmt::format("{{&x{}[0], {}, {}}}",
                               k,
                               k == 0 ? "0" : begin(k),
                               k + 1 == count ? "width" : begin(k + 1));
        }));
    definition.operation = fmt::format(
        "kgen_join<{}>(&y[0], (long long)i * (16 / sizeof(T)) - skipped, total, inverse, width, "
        "kgen_sources)",
        count);
    return definition;
}

// A thread reads a chunk of each column and writes them as rows. On the same day: two, three and four columns of float32
// 0.999, 0.995 and 0.990, where join() has 0.968, 0.925 and 0.942, but 16 columns 0.647, where join() has 0.813; 2 to 8 columns
// of uint8 0.935 or more, where join() has 0.43.
Definition weave(int count) {
    Definition definition = definition_of(fmt::format("weave{}", count), count, "uint64 rows");
    definition.operation = fmt::format(
        "const T* const x[] = {{{2}}};\n"
        "const int chunk = {1} / sizeof(T) > 0 ? {1} / sizeof(T) : 1;\n"
        "kgen_weave<{0}, chunk>(&y[0], (unsigned long long)i * chunk, rows, x)",
        count,
        chunk_bytes(count, 1),
        list_of(0, count, [](int k) { return fmt::format("&x{}[0]", k); }));
    return definition;
}

std::size_t chunk_bytes(int count, std::size_t item_bytes) noexcept {
    return std::max<std::size_t>(count < 4 ? 8 : 4, item_bytes);
}

std::uint64_t inverse_of(std::uint64_t width) noexcept {
    return std::numeric_limits<std::uint64_t>::max() / width;
}

}  // namespace kgen::array_kernels
