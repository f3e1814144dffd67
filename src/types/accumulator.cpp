// SPDX-License-Identifier: MIT
#include "types/accumulator.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace kgen {

DType default_accumulator(DType output) noexcept {
    switch (kind_of(output)) {
        case DTypeKind::boolean:
        case DTypeKind::unsigned_integer:
            return DType::uint64;
        case DTypeKind::signed_integer:
            return DType::int64;
        case DTypeKind::real:
            return output == DType::float64 ? DType::float64 : DType::float32;
        case DTypeKind::complex:
            break;
    }
    return output;
}

DType accumulator_dtype(const Signature& signature, const TypeBinding& types) {
    if (signature.reduction->accumulator) return *signature.reduction->accumulator;
    return default_accumulator(types.dtypes[static_cast<std::size_t>(signature.input_count)]);
}

std::size_t accumulator_bytes(const Signature& signature, const TypeBinding& types) {
    const ReductionFacts& facts = *signature.reduction;
    if (facts.has_own_accumulator) return 0;
    const DType accumulator = accumulator_dtype(signature, types);
    const DTypeKind kind = kind_of(accumulator);
    // A compensated sum keeps its rounding error in a second number.
    const bool is_pair = facts.accuracy == Accuracy::compensated &&
                         (kind == DTypeKind::real || kind == DTypeKind::complex);
    return item_size(accumulator) * (is_pair ? 2 : 1);
}

std::string implied_identity(const ReductionFacts& facts, DType accumulator) {
    if (facts.has_own_accumulator) return {};
    const bool is_largest = facts.operation == FoldOperation::largest;
    const bool is_least = facts.operation == FoldOperation::least;
    const DTypeKind kind = kind_of(accumulator);
    if (accumulator == DType::float32 || accumulator == DType::float64) {
        if (!is_largest && !is_least) return {};
        // Products, because compilers have no common names for infinity and NaN without a header.
        if (facts.nan_rule == NanRule::skipped) return "1e30f * 1e30f * 0.0f";
        if (facts.nan_rule == NanRule::other) return {};
        return is_largest ? "-1e30f * 1e30f" : "1e30f * 1e30f";
    }
    const bool is_signed = kind == DTypeKind::signed_integer;
    if (!is_signed && kind != DTypeKind::unsigned_integer) return {};
    const std::size_t unused = 64 - 8 * item_size(accumulator);
    const std::uint64_t ones = ~std::uint64_t{0} >> unused, sign = ones ^ (ones >> 1);
    if (is_largest) return fmt::format("{:#x}ULL", is_signed ? sign : 0);
    if (is_least) return fmt::format("{:#x}ULL", is_signed ? ones ^ sign : ones);
    return {};
}

bool has_identity(const Signature& signature, const TypeBinding& types) {
    const ReductionFacts& facts = *signature.reduction;
    if (facts.has_identity || facts.has_own_accumulator) return facts.has_identity;
    return !implied_identity(facts, accumulator_dtype(signature, types)).empty();
}

}  // namespace kgen
