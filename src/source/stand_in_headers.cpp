// SPDX-License-Identifier: MIT
#include "source/stand_in_headers.hpp"

#include <algorithm>
#include <array>
#include <embedded/header_algorithm.hpp>
#include <embedded/header_array.hpp>
#include <embedded/header_array_cuh.hpp>
#include <embedded/header_assert_h.hpp>
#include <embedded/header_cassert.hpp>
#include <embedded/header_cfloat.hpp>
#include <embedded/header_climits.hpp>
#include <embedded/header_cmath.hpp>
#include <embedded/header_cstddef.hpp>
#include <embedded/header_cstdint.hpp>
#include <embedded/header_cstdio.hpp>
#include <embedded/header_cstdlib.hpp>
#include <embedded/header_cstring.hpp>
#include <embedded/header_float_h.hpp>
#include <embedded/header_function_h.hpp>
#include <embedded/header_functional.hpp>
#include <embedded/header_initializer_list.hpp>
#include <embedded/header_iterator.hpp>
#include <embedded/header_limits.hpp>
#include <embedded/header_limits_h.hpp>
#include <embedded/header_math_h.hpp>
#include <embedded/header_new.hpp>
#include <embedded/header_numeric.hpp>
#include <embedded/header_stddef_h.hpp>
#include <embedded/header_stdint_h.hpp>
#include <embedded/header_stdio_h.hpp>
#include <embedded/header_stdlib_h.hpp>
#include <embedded/header_string_h.hpp>
#include <embedded/header_tuple.hpp>
#include <embedded/header_type_traits.hpp>
#include <embedded/header_utility.hpp>
#include <embedded/math_constants_cuh.hpp>
#include <vector>

#include "device/device_traits.hpp"

namespace kgen {

namespace {

std::vector<StandIn> sorted(std::vector<StandIn> headers) {
    std::sort(headers.begin(), headers.end(), [](const StandIn& a, const StandIn& b) {
        return a.name < b.name;
    });
    return headers;
}

// These are functions rather than constants, because the embedded texts are initialised in other files and
// may not be ready yet.
std::vector<StandIn> cuda_headers() {
    return sorted({
        {"algorithm", embedded::header_algorithm},
        {"array", embedded::header_array},
        {"assert.h", embedded::header_assert_h},
        {"cassert", embedded::header_cassert},
        {"cfloat", embedded::header_cfloat},
        {"climits", embedded::header_climits},
        {"cmath", embedded::header_cmath},
        {"cstddef", embedded::header_cstddef},
        {"cstdint", embedded::header_cstdint},
        {"cstdio", embedded::header_cstdio},
        {"cstdlib", embedded::header_cstdlib},
        {"cstring", embedded::header_cstring},
        {"float.h", embedded::header_float_h},
        {"functional", embedded::header_functional},
        {"initializer_list", embedded::header_initializer_list},
        {"iterator", embedded::header_iterator},
        {"kgen/array.cuh", embedded::header_array_cuh},
        {"kgen/function.h", embedded::header_function_h},
        {"limits", embedded::header_limits},
        {"limits.h", embedded::header_limits_h},
        {"math.h", embedded::header_math_h},
        {"new", embedded::header_new},
        {"numeric", embedded::header_numeric},
        {"stddef.h", embedded::header_stddef_h},
        {"stdint.h", embedded::header_stdint_h},
        {"stdio.h", embedded::header_stdio_h},
        {"stdlib.h", embedded::header_stdlib_h},
        {"string.h", embedded::header_string_h},
        {"tuple", embedded::header_tuple},
        {"type_traits", embedded::header_type_traits},
        {"utility", embedded::header_utility},
    });
}

std::vector<StandIn> host_headers() {
    constexpr std::string_view nothing = "// What it declares is there without it.\n";
    std::vector<StandIn> headers = cuda_headers();
    for (const std::string_view name :
         {"cuda_runtime.h", "device_launch_parameters.h", "vector_functions.h", "vector_types.h"}) {
        headers.push_back({name, nothing});
    }
    headers.push_back({"math_constants.h", embedded::math_constants_cuh});
    return sorted(std::move(headers));
}

}  // namespace

std::span<const StandIn> stand_ins(DeviceKind device) {
    // Both lists are never destroyed, so that they can be used during the destruction of static objects.
    static const auto* const cuda = new std::vector<StandIn>(cuda_headers());
    static const auto* const host = new std::vector<StandIn>(host_headers());
    return traits(device).language == SourceLanguage::cpp ? *host : *cuda;
}

const StandIn* find_stand_in(std::string_view name, DeviceKind device) {
    const std::span<const StandIn> headers = stand_ins(device);
    const auto at = std::lower_bound(
        headers.begin(), headers.end(), name, [](const StandIn& a, std::string_view b) {
            return a.name < b;
        });
    return at != headers.end() && at->name == name ? &*at : nullptr;
}

}  // namespace kgen
