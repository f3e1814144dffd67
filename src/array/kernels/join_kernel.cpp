// SPDX-License-Identifier: MIT
#include "array/kernels/join_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <embedded/array.hpp>
#include <limits>

namespace kgen::array_kernels {

namespace {

// Lists the text of each matrix, separated by commas.
template <typename Text>
std::string list_of(int from, int to, const Text& text) {
    std::string list;
    for (int k = from; k < to; ++k) list += (list.empty() ? "" : ", ") + text(k);
    return list;
}

}  // namespace

// kgen_join: a thread writes 16 bytes. It finds the source of each element by comparisons only, because it
// knows for each matrix where column 0 of the result would lie in the current row. kgen_weave: a thread reads
// a chunk of each column and writes them as rows.
//
// Speed relative to a copy, measured on an H200 on 2026-11-22 with 1 GiB. float32, with two, three and four
// columns: 0.99, 0.97 and 0.97 by kgen_join, 0.99 each by kgen_weave. uint8, with three and four columns:
// 0.44 and 0.35 by kgen_join, 0.99 and 0.98 by kgen_weave. Alternatives: two or four pieces per thread were
// no faster; elements a warp apart reached 0.73 to 0.98; one kernel for all counts reached 0.83 to 0.92.
Definition join(int count) {
    Definition definition;
    definition.name = fmt::format("join{}", count);
    const auto begin = [](int k) { return fmt::format("begin{}", k); };
    definition.inputs = list_of(0, count, [](int k) { return fmt::format("raw T x{}", k); }) +
                        ", " + list_of(1, count, [&](int k) { return "uint32 " + begin(k); }) +
                        ", uint32 width, uint64 total, uint64 inverse, uint32 woven";
    definition.outputs = "raw T y";
    definition.operation = fmt::format(
        "const T* const x[] = {{{0}}};\n"
        "const unsigned begin[] = {{0, {1}}};\n"
        "const int chunk = {2} / sizeof(T) > 0 ? {2} / sizeof(T) : 1;\n"
        "if (woven) kgen_weave<{3}, chunk>(&y[0], (unsigned long long)i * chunk, total / {3}, x);\n"
        "else kgen_join<{3}>(&y[0], (unsigned long long)i * (16 / sizeof(T)), total, inverse, x, "
        "begin, width)",
        list_of(0, count, [](int k) { return fmt::format("&x{}[0]", k); }),
        list_of(1, count, begin),
        chunk_bytes(count, 1),
        count);
    definition.preamble = embedded::array_join_cuh;
    return definition;
}

std::size_t chunk_bytes(int count, std::size_t item_bytes) noexcept {
    return std::max<std::size_t>(count < 4 ? 8 : 4, item_bytes);
}

std::uint64_t inverse_of(std::uint64_t width) noexcept {
    return std::numeric_limits<std::uint64_t>::max() / width;
}

}  // namespace kgen::array_kernels
