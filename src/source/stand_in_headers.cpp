// SPDX-License-Identifier: MIT
#include "source/stand_in_headers.hpp"

#include <algorithm>
#include <embedded/headers.hpp>
#include <embedded/prelude.hpp>
#include <vector>

#include "device/device_traits.hpp"

namespace kgen {

namespace {

std::vector<EmbeddedFile> host_headers() {
    constexpr std::string_view nothing = "// What it declares is there without it.\n";
    std::vector<EmbeddedFile> headers(embedded::headers.begin(), embedded::headers.end());
    for (const std::string_view name :
         {"cuda_runtime.h", "device_launch_parameters.h", "vector_functions.h", "vector_types.h"}) {
        headers.push_back({name, nothing});
    }
    headers.push_back({"math_constants.h", embedded::math_constants_cuh});
    std::sort(headers.begin(), headers.end(), [](const EmbeddedFile& a, const EmbeddedFile& b) {
        return a.name < b.name;
    });
    return headers;
}

}  // namespace

std::span<const EmbeddedFile> stand_ins(DeviceKind device) {
    // Never destroyed, so that it can be used during the destruction of static objects.
    static const auto* const host = new std::vector<EmbeddedFile>(host_headers());
    if (traits(device).language == SourceLanguage::cpp) return *host;
    return embedded::headers;
}

const EmbeddedFile* find_stand_in(std::string_view name, DeviceKind device) {
    return find_file(stand_ins(device), name);
}

}  // namespace kgen
