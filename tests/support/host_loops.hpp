// SPDX-License-Identifier: MIT
//
// Shared parts of the tests of the host's loops.
#pragma once

#include <cstdint>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

namespace kgen::test {

inline const Device host = Device::host();

inline std::vector<std::int32_t> numbers(std::int64_t count, int seed) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k] =
            static_cast<std::int32_t>((k * 2654435761U + static_cast<unsigned>(seed)) % 10007);
    }
    return values;
}

inline bool has_part(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline std::string explained(const ElementwiseKernel& kernel, std::vector<Argument> arguments) {
    return kernel.explain(arguments, {}, {.device = host}).plan;
}

// Returns whether a call runs the tiled loop, according to explain().
inline bool runs_tiles(const ElementwiseKernel& kernel, std::vector<Argument> arguments) {
    const Explanation explained = kernel.explain(arguments, {}, {.device = host});
    return has_part(explained.source, "kgen_tile");
}

inline const ElementwiseKernel& combine() {
    static const ElementwiseKernel kernel("T x, T y", "T z", "z = x - 3 * y", "combine");
    return kernel;
}

}  // namespace kgen::test
