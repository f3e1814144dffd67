// SPDX-License-Identifier: MIT
#include "types/accumulator.hpp"

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

}  // namespace kgen
