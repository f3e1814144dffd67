// SPDX-License-Identifier: MIT
//
// The parts of error messages that name an option or a function of kgen. One table has their spelling in C++
// and that of the command, because a user of the command cannot pass size(n).
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace kgen {

enum class Advice : std::uint8_t {
    size_name,
    block_size_name,
    axis_name,
    keepdims_name,
    pass_size,
    pass_keepdims,
    remove_keepdims,
    pass_output,  // {0}: the outputs
    pass_identity,
    set_reduce_type,
    convert_to,  // {0}: the dtype, {1}: the parameter
    convert_one,
    load_as_it_is,
    name_target,      // for strings of generated kernels
    name_raw_target,  // for raw kernels
    give_sources,
    name_templates,
    pass_raw_pointer,
    pass_raw_dtype,  // {0}: the dtype
    pass_raw_view_dtype,
    pass_raw_view,
    pass_raw_view_size,
    extern_shared_bytes,
    got_shared_bytes,  // {0}: the number
    none,              // no advice; behind all others
};

// Returns the text in the spelling of set_message_spelling(), a format string for the values above.
std::string_view advice_text(Advice advice) noexcept;

template <typename... Parts>
std::string advise(Advice advice, const Parts&... parts) {
    return fmt::format(fmt::runtime(advice_text(advice)), parts...);
}

}  // namespace kgen
