// SPDX-License-Identifier: MIT
#include "text/advice.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <kgen/message_spelling.hpp>

namespace kgen {

namespace {

struct Spelling {
    Advice advice;
    std::string_view cpp;
    std::string_view command;
};

constexpr std::array rows = {
    Spelling{Advice::size_name, "size", "--size"},
    Spelling{Advice::block_size_name, "block_size", "--block-size"},
    Spelling{Advice::axis_name, "axis", "--axis"},
    Spelling{Advice::keepdims_name, "keepdims", "--keepdims"},
    Spelling{Advice::pass_size, "pass size(n)", "give --size N"},
    Spelling{Advice::pass_keepdims, "pass keepdims", "give --keepdims"},
    Spelling{Advice::remove_keepdims, "remove keepdims", "remove --keepdims"},
    Spelling{Advice::pass_output, "pass out({0})", "give NAME=FILE.npy for {0}"},
    Spelling{Advice::pass_identity,
             "pass an identity to the kernel, or check size() first",
             "give the kernel an identity"},
    Spelling{Advice::set_reduce_type, "set reduce_type", "give --reduce-type TYPE"},
    Spelling{
        Advice::convert_to, "convert it with astype({0})", "convert a file with --dtype {1}={0}"},
    Spelling{Advice::convert_one,
             "convert one of them with astype",
             "convert a file with --dtype NAME=DTYPE"},
    Spelling{Advice::load_as_it_is,
             "load it without NpyOptions::dtype and convert it with astype()",
             "remove --dtype"},
    Spelling{Advice::name_target,
             "name another one with the option 'arch' of kgen",
             "name another one with --arch"},
    Spelling{Advice::name_raw_target,
             "name another one with '.arch', as in {{.arch = \"sm_90a\"}}",
             "name another one with --arch, as in --arch sm_90a"},
    Spelling{Advice::give_sources,
             "kgen itself links the sources that are given as '.sources'",
             "the command compiles a single source"},
    Spelling{Advice::name_templates,
             "list templates in RawModuleOptions::names",
             "name a template with its arguments, as in --kernel 'axpby<float>'"},
    Spelling{Advice::pass_raw_pointer,
             "pass an array, a pointer, nullptr or, for an address, an unsigned long long",
             "give NAME=FILE.npy or NAME=float32[2,5]"},
    Spelling{Advice::pass_raw_dtype,
             "pass x.astype({0}), or x.data() for the memory as it is",
             "convert a file with --dtype NAME={0}"},
    Spelling{Advice::pass_raw_view_dtype,
             "pass x.astype({0}), and raw() of that",
             "convert a file with --dtype NAME={0}"},
    Spelling{
        Advice::pass_raw_view, "pass raw(x)", "give the kernel as a source, not as compiled code"},
    Spelling{Advice::pass_raw_view_size,
             "pass raw(x) for a kgen::array",
             "for a kgen::array give the kernel as a source, not as compiled code"},
    Spelling{
        Advice::extern_shared_bytes, "with .shared_bytes in the launch", "with --shared-bytes N"},
    Spelling{Advice::got_shared_bytes, "got .shared_bytes = {0}", "got --shared-bytes {0}"},
};

constexpr bool are_in_order() {
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (static_cast<std::size_t>(rows[k].advice) != k) return false;
    }
    return rows.size() == static_cast<std::size_t>(Advice::none);
}
static_assert(are_in_order());

std::atomic<MessageSpelling> chosen = MessageSpelling::cpp;

}  // namespace

std::string_view advice_text(Advice advice) noexcept {
    const Spelling& row = rows[static_cast<std::size_t>(advice)];
    const bool is_command = chosen.load(std::memory_order_relaxed) == MessageSpelling::command;
    return is_command ? row.command : row.cpp;
}

void set_message_spelling(MessageSpelling spelling) noexcept {
    chosen.store(spelling, std::memory_order_relaxed);
}

}  // namespace kgen
