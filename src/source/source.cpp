// SPDX-License-Identifier: MIT
#include "source/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <embedded/division_host_cuh.hpp>
#include <embedded/elementwise_cu_in.hpp>
#include <string_view>

#include "plan/loops.hpp"
#include "source/kernel_parts.hpp"
#include "source/loop_slots.hpp"
#include "source/loops.hpp"
#include "source/prelude.hpp"
#include "source/reduction_source.hpp"
#include "source/source_writer.hpp"

namespace kgen {

namespace {

// What all skeletons have: the head, the names, the parameter block, the body.
class Generator {
public:
    Generator(const Signature& signature,
              const TypeBinding& types,
              const Baked& baked,
              const std::vector<UserText>& headers)
        : definition_(signature.definition()),
          signature_(signature),
          types_(types),
          baked_(baked),
          headers_(headers),
          parts_(signature, types, baked),
          text_(parts_.text()) {}

    Source run() {
        const std::string symbol = parts_.symbol();
        Slots slots;
        slots["head"] = {parts_.head()};
        slots["prelude"] = {select_prelude(signature_, types_, baked_, headers_) + helpers()};
        slots["types"] = {parts_.placeholder_types()};
        slots["fields"] = {parts_.fields()};
        slots["preamble"] = parts_.user_slot("preamble", definition_.preamble, "");
        slots["symbol"] = {symbol};
        slots["names"] = {visible_names()};
        slots["loop_prep"] = parts_.user_slot("loop_prep", definition_.loop_prep, ";\n");
        slots["body"] = body();
        slots["after_loop"] = parts_.user_slot("after_loop", definition_.after_loop, ";\n");
        slots["block_bound"] = {std::to_string(baked_.block_bound)};
        slots["last_axis"] = {std::to_string(baked_.rank - 1)};
        SourceWriter writer(signature_.name + (text_.is_host() ? ".cpp" : ".cu"));
        const std::string_view skeleton = fill_loop(slots);
        writer.write(skeleton, slots);
        return {writer.text(), symbol, "", writer.user_texts()};
    }

private:
    std::string_view fill_loop(Slots& slots) const {
        if (text_.is_host()) {
            if (baked_.loop == LoopKind::short_rows) return fill_short_rows_loop(text_, slots);
            if (baked_.loop == LoopKind::tiles)
                return fill_tiles_loop(text_, is_independent(), slots);
            return fill_rows_loop(text_, is_independent(), slots);
        }
        LoopText loop(baked_);
        if (baked_.loop == LoopKind::flat)
            write_flat_operands(text_, loop);
        else if (baked_.loop == LoopKind::vector_rows)
            write_vector_rows_operands(text_, loop);
        else
            write_shared_tiles_operands(text_, loop);
        slots["operands"] = {loop.text()};
        slots["loop"] = {std::string(loop_name(baked_))};
        return embedded::elementwise_cu_in;
    }

    // Overlaps are resolved before the launch, so that iterations do not see each other's stores,
    // unless the body reaches memory of its own.
    bool is_independent() const {
        if (baked_.by_reference || signature_.facts.keeps_state) return false;
        for (std::size_t k = 0; k < baked_.operands.size(); ++k) {
            if (baked_.operands[k].viewed && text_.is_written(k)) return false;
        }
        return true;
    }

    std::string helpers() const {
        return text_.is_host() ? std::string(without_licence(embedded::division_host_cuh))
                               : loop_helpers(baked_);
    }

    std::string indexer(std::string_view position) const {
        return fmt::format("kgen_indexer<{}, {}> _ind({}, kgen_p.kgen_count, {});\n",
                           baked_.logical_rank,
                           baked_.width == IndexWidth::bits32 ? "int" : "long long",
                           position,
                           baked_.logical_rank > 0 ? "kgen_p.kgen_shape" : "0");
    }

    // What the user's texts see in the whole function.
    std::string visible_names() const {
        std::string text;
        if (signature_.facts.count) text += "    const ptrdiff_t n = kgen_p.kgen_count;\n";
        const bool outside_body = !definition_.loop_prep.empty() || !definition_.after_loop.empty();
        if (signature_.facts.indexer && outside_body) text += "    " + indexer("0");
        return text + parts_.visible_names();
    }

    // The body as a function of one element. It is written once, whatever the loop does with it.
    Slot body() const {
        std::string parameters;
        if (text_.counts()) parameters += "const ptrdiff_t kgen_i";
        text_.for_arrays([&](std::size_t k) {
            if (!parameters.empty()) parameters += ", ";
            const bool reference = baked_.by_reference || text_.is_written(k);
            parameters += text_.const_type(k) + (reference ? "& " : " ") + text_.name(k);
            return std::string();
        });
        std::string before =
            "    // The body, for one element: continue, break and return end that element.\n";
        before += fmt::format(
            "    const auto kgen_body = [&]({}) __attribute__((always_inline)) {{\n", parameters);
        if (signature_.facts.index) before += "        const ptrdiff_t i = kgen_i;\n";
        if (signature_.facts.indexer) before += "        " + indexer("kgen_i");
        before += "        do {  // the user's text, as it was written\n";
        return {before,
                {parts_.label("operation"), definition_.operation},
                "; } while (false);\n    };\n"};
    }

    const Definition& definition_;
    const Signature& signature_;
    const TypeBinding& types_;
    const Baked& baked_;
    const std::vector<UserText>& headers_;
    KernelParts parts_;
    const KernelText& text_;
};

}  // namespace

Source generate_source(const Signature& signature,
                       const TypeBinding& types,
                       const Baked& baked,
                       const std::vector<UserText>& headers) {
    if (is_reduction(baked.loop)) return generate_reduction(signature, types, baked, headers);
    return Generator(signature, types, baked, headers).run();
}

}  // namespace kgen
