// SPDX-License-Identifier: MIT
#include "plan/operand.hpp"

namespace kgen {

AddressSpan address_span(const Operand& operand) noexcept {
    // The binding of the arguments has already checked that the span fits (find_byte_span).
    AddressSpan span{operand.address, operand.address + item_size(operand.dtype)};
    for (int axis = 0; axis < operand.shape.rank(); ++axis) {
        if (operand.shape[axis] == 0) return {operand.address, operand.address};
        const std::int64_t stride = operand.strides[axis];
        (stride < 0 ? span.begin : span.end) +=
            static_cast<std::uintptr_t>(operand.shape[axis] - 1) *
            static_cast<std::uintptr_t>(stride);
    }
    return span;
}

}  // namespace kgen
