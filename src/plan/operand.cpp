// SPDX-License-Identifier: MIT
#include "plan/operand.hpp"

namespace kgen {

AddressSpan address_span(const Operand& operand) noexcept {
    // The binding of the arguments has already checked that the span fits, so there is always a value.
    const ByteSpan span = find_byte_span(operand.shape, operand.strides, item_size(operand.dtype))
                              .value_or(ByteSpan());
    return {operand.address + static_cast<std::uintptr_t>(span.low),
            operand.address + static_cast<std::uintptr_t>(span.high)};
}

}  // namespace kgen
