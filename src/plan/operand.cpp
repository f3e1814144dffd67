// SPDX-License-Identifier: MIT
#include "plan/operand.hpp"

namespace kgen {

AddressSpan address_span(const Operand& operand) noexcept {
    // A call checks that the span fits when it binds its arguments.
    const ByteSpan span = find_byte_span(operand.shape, operand.strides, item_size(operand.dtype))
                              .value_or(ByteSpan());
    return {operand.address + static_cast<std::uintptr_t>(span.low),
            operand.address + static_cast<std::uintptr_t>(span.high)};
}

}  // namespace kgen
