// SPDX-License-Identifier: MIT
#include "source/loop_text.hpp"

#include <fmt/format.h>

#include "device/device_traits.hpp"
#include "plan/loop_table.hpp"

namespace kgen {

LoopText::LoopText(const Baked& baked)
    : head_(traits(baked.device).language == SourceLanguage::cpp ? "KGEN_INLINE"
                                                                 : "__device__ __forceinline__") {
    constant("kgen_rank", baked.rank);
    constant("kgen_kept", baked.kept);
    constant("kgen_pack", baked.vector);
    constant("kgen_block_bound", baked.block_bound);
    constant("kgen_split", is_split(baked));
    if (baked.device == DeviceKind::cuda && !folds(baked.loop))
        function("unsigned",
                 "kgen_block() const",
                 fmt::format("        return ::kgen_block(){};\n",
                             baked.is_part ? " - kgen_p.kgen_first_block" : ""));
}

void LoopText::constant(std::string_view name, int value) {
    constant(name, std::to_string(value));
}

void LoopText::constant(std::string_view name, std::string_view expression) {
    constants_ += fmt::format("        {} = {},\n", name, expression);
}

void LoopText::type(std::string_view name, std::string_view definition) {
    types_ += fmt::format("    typedef {} {};\n", definition, name);
}

void LoopText::values(std::string_view name, std::string_view lines) {
    members_ += fmt::format("    struct {} {{\n{}    }};\n", name, lines);
}

void LoopText::function(std::string_view type, std::string_view signature, std::string_view lines) {
    methods_ += fmt::format("    {} {} {} {{\n{}    }}\n", head_, type, signature, lines);
}

void LoopText::calling(std::string_view type, std::string_view signature, std::string_view lines) {
    const std::size_t open = signature.find('(') + 1;
    methods_ += fmt::format(
        "    template <class kgen_callable> {} {} {}const kgen_callable& kgen_text{}{} {{\n{}    "
        "}}\n",
        head_,
        type,
        signature.substr(0, open),
        signature[open] == ')' ? "" : ", ",
        signature.substr(open),
        lines);
}

std::string LoopText::text() const {
    return fmt::format(
        "struct kgen_plan {{\n    enum {{\n{}    }};\n{}}};\n"
        "struct kgen_operands {{\n    const kgen_parameters& kgen_p;\n{}"
        "    {} explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) "
        "{{}}\n{}}};\n",
        constants_,
        types_,
        members_,
        head_,
        methods_);
}

}  // namespace kgen
