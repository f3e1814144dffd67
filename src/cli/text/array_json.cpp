// SPDX-License-Identifier: MIT
#include "cli/text/array_json.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <vector>

namespace kgen::cli {

namespace {

using nlohmann::ordered_json;

ordered_json real_json(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

template <typename T>
ordered_json element_json(const T& value) {
    if constexpr (std::is_integral_v<T>) {
        return value;
    } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                         std::is_same_v<T, std::complex<double>>) {
        return ordered_json::array({real_json(static_cast<double>(value.real())),
                                    real_json(static_cast<double>(value.imag()))});
    } else {
        return real_json(static_cast<double>(value));
    }
}

}  // namespace

ordered_json elements_json(const Array& array) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(array.size_bytes()));
    array.copy_to_host(bytes.data());
    ordered_json list = ordered_json::array();
    visit_dtype(array.dtype(), [&]<typename T>() {
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
            T value;
            std::memcpy(&value, bytes.data() + at, sizeof(T));
            list.push_back(element_json(value));
        }
    });
    return list;
}

ordered_json dims_json(const Dims& dims) {
    return ordered_json(std::vector<std::int64_t>(dims.begin(), dims.end()));
}

}  // namespace kgen::cli
