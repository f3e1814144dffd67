// SPDX-License-Identifier: MIT
//
// DTypeSet: a set of dtypes, one bit each.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <kgen/dtype.hpp>

namespace kgen {

class DTypeSet {
public:
    constexpr DTypeSet() = default;
    constexpr DTypeSet(std::initializer_list<DType> dtypes) {
        for (const DType each : dtypes) add(each);
    }
    static constexpr DTypeSet all() {
        DTypeSet set;
        set.bits_ = (1U << dtype_count) - 1;
        return set;
    }

    constexpr bool has(DType dtype) const noexcept { return (bits_ & bit(dtype)) != 0; }
    constexpr bool empty() const noexcept { return bits_ == 0; }
    constexpr void add(DType dtype) noexcept { bits_ |= bit(dtype); }
    constexpr void add(DTypeSet dtypes) noexcept { bits_ |= dtypes.bits_; }
    constexpr void remove(DType dtype) noexcept { bits_ &= ~bit(dtype); }
    friend constexpr bool operator==(const DTypeSet&, const DTypeSet&) = default;

private:
    static constexpr std::uint32_t bit(DType dtype) noexcept {
        return 1U << static_cast<unsigned>(dtype);
    }
    std::uint32_t bits_ = 0;
};

}  // namespace kgen
