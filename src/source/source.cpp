// SPDX-License-Identifier: MIT
#include "source/source.hpp"

#include <fmt/format.h>

#include <embedded/access_cuda_cuh.hpp>
#include <embedded/division_host_cuh.hpp>
#include <embedded/divisor_cuda_cuh.hpp>
#include <embedded/linear_cu_in.hpp>
#include <embedded/rows_cpp_in.hpp>
#include <embedded/strided_cu_in.hpp>
#include <string_view>

#include "dtype/dtype_names.hpp"
#include "plan/parameter_block.hpp"
#include "source/prelude.hpp"
#include "source/source_writer.hpp"

namespace kgen {

namespace {

std::string_view helper_text(std::string_view text) {
    text.remove_prefix(text.find('\n') + 1);  // the licence line
    return text;
}

// Writes the pieces of one kernel. Every generated name begins with kgen_; after the preamble no
// other name is used but the user's own.
class Generator {
public:
    Generator(const Definition& definition,
              const Signature& signature,
              const TypeBinding& types,
              const Baked& baked)
        : definition_(definition), signature_(signature), types_(types), baked_(baked) {}

    Source run() {
        const bool host = baked_.device == DeviceKind::host;
        const std::string file = signature_.name + (host ? ".cpp" : ".cu");
        SourceWriter writer(file);
        // A prefix that no other generated name has: kernels may be called anything.
        const std::string symbol = "kgen_kernel_" + signature_.name;
        std::map<std::string, Slot> slots;
        slots["head"] = {head()};
        slots["prelude"] = {select_prelude(definition_, signature_, types_, baked_) + helpers()};
        slots["types"] = {placeholder_types()};
        slots["fields"] = {fields()};
        slots["preamble"] = user_slot("preamble", definition_.preamble, "");
        slots["symbol"] = {symbol};
        slots["names"] = {visible_names()};
        slots["loop_prep"] = user_slot("loop_prep", definition_.loop_prep, ";\n");
        slots["body"] = body();
        slots["after_loop"] = user_slot("after_loop", definition_.after_loop, ";\n");
        slots["block_bound"] = {std::to_string(baked_.block_bound)};
        slots["elements_per_thread"] = {std::to_string(baked_.vector * baked_.unroll)};
        slots["rank"] = {std::to_string(baked_.rank)};
        slots["last_axis"] = {std::to_string(baked_.rank - 1)};
        switch (baked_.loop) {
            case LoopKind::linear:
                add_linear(slots);
                writer.write(embedded::linear_cu_in, slots);
                break;
            case LoopKind::strided:
                add_strided(slots);
                writer.write(embedded::strided_cu_in, slots);
                break;
            case LoopKind::rows:
                add_rows(slots);
                writer.write(embedded::rows_cpp_in, slots);
                break;
        }
        return {writer.text(), symbol, writer.user_texts()};
    }

private:
    const Parameter& parameter(std::size_t k) const { return signature_.parameters[k]; }
    const std::string& name(std::size_t k) const { return signature_.parameters[k].name; }
    // The variable that holds an element: no other generated name begins so.
    std::string value(std::size_t k) const { return "kgen_of_" + name(k); }
    std::string type(std::size_t k) const { return std::string(cpp_name(types_.dtypes[k])); }
    // `const` stands before the type where the body may not write through it.
    std::string const_type(std::size_t k) const {
        return parameter(k).written ? type(k) : "const " + type(k);
    }
    bool is_array(std::size_t k) const { return baked_.operands[k].kind == OperandKind::array; }
    bool is_uniform(std::size_t k) const {
        return baked_.operands[k].inner == StrideClass::uniform;
    }

    template <typename Line>
    std::string for_arrays(Line line) const {
        std::string text;
        for (std::size_t k = 0; k < baked_.operands.size(); ++k) {
            if (is_array(k)) text += line(k);
        }
        return text;
    }

    Slot user_slot(std::string_view part, const std::string& text, std::string_view after) const {
        if (text.empty()) return {};
        return {"", {fmt::format("{} ({})", signature_.name, part), text}, std::string(after)};
    }

    std::string head() const {
        std::string text = fmt::format("// {}: {}\n", signature_.name, to_text(signature_));
        if (!types_.placeholders.empty()) text += fmt::format("// types: {}\n", to_text(types_));
        text += fmt::format("// plan: {}\n", describe_loop(baked_));
        return text;
    }

    std::string helpers() const {
        if (baked_.device == DeviceKind::host)
            return std::string(helper_text(embedded::division_host_cuh));
        std::string text(helper_text(embedded::access_cuda_cuh));
        if (baked_.loop == LoopKind::strided) text += helper_text(embedded::divisor_cuda_cuh);
        return text;
    }

    std::string placeholder_types() const {
        std::string text;
        for (const auto& [letter, dtype] : types_.placeholders) {
            text += fmt::format("typedef {} {};\n", cpp_name(dtype), letter);
        }
        return text;
    }

    std::string view_type(std::size_t k) const {
        const BakedOperand& operand = baked_.operands[k];
        return fmt::format("kgen_raw_view<{}, {}, {}, {}>",
                           const_type(k),
                           operand.view_rank,
                           operand.view_contiguous,
                           operand.view_width == IndexWidth::bits32 ? "int" : "long long");
    }

    std::string fields() const {
        const bool narrow = baked_.loop == LoopKind::strided && baked_.width == IndexWidth::bits32;
        std::string text;
        for (const BlockField& field : lay_out_block(baked_, types_.dtypes).fields) {
            const auto k = static_cast<std::size_t>(std::max(field.operand, 0));
            switch (field.kind) {
                case FieldKind::count:
                    text += "    long long kgen_count;\n";
                    break;
                case FieldKind::data:
                    text += fmt::format("    {}* kgen_data_{};\n", const_type(k), name(k));
                    break;
                case FieldKind::extents:
                    text += fmt::format("    {} kgen_extents[{}];\n",
                                        narrow ? "kgen_divisor" : "long long",
                                        baked_.rank);
                    break;
                case FieldKind::strides:
                    text += fmt::format("    {} kgen_strides_{}[{}];  // bytes\n",
                                        narrow ? "int" : "long long",
                                        name(k),
                                        baked_.rank);
                    break;
                case FieldKind::shape:
                    text += fmt::format("    ptrdiff_t kgen_shape[{}];\n", baked_.logical_rank);
                    break;
                case FieldKind::view:
                    text += fmt::format("    {} kgen_view_{};\n", view_type(k), name(k));
                    break;
                case FieldKind::scalar:
                    text += fmt::format("    {} kgen_value_{};\n", type(k), name(k));
                    break;
            }
        }
        return text;
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
        if (signature_.facts.indexer) text += "    " + indexer("0");
        for (std::size_t k = 0; k < baked_.operands.size(); ++k) {
            const BakedOperand& operand = baked_.operands[k];
            if (operand.kind == OperandKind::scalar) {
                text += fmt::format(
                    "    const {} {} = kgen_p.kgen_value_{};\n", type(k), name(k), name(k));
            } else if (operand.viewed) {
                const std::string_view prefix = operand.kind == OperandKind::raw ? "" : "_raw_";
                text += fmt::format(
                    "    const auto& {}{} = kgen_p.kgen_view_{};\n", prefix, name(k), name(k));
            }
        }
        return text;
    }

    // The body as a function of one element. It is written once, whatever the loop does with it.
    Slot body() const {
        std::string parameters;
        if (counts()) parameters += "const ptrdiff_t kgen_i";
        for_arrays([&](std::size_t k) {
            if (!parameters.empty()) parameters += ", ";
            parameters += baked_.by_reference || parameter(k).written ? const_type(k) + "& "
                                                                      : "const " + type(k) + " ";
            parameters += name(k);
            return std::string();
        });
        std::string before =
            "    // The body, for one element: continue, break and return end that element.\n";
        before += fmt::format(
            "    const auto kgen_body = [&]({}) __attribute__((always_inline)) {{\n", parameters);
        if (signature_.facts.index) before += "        const ptrdiff_t i = kgen_i;\n";
        if (signature_.facts.indexer) before += "        " + indexer("kgen_i");
        before += "        do {\n";
        return {before,
                {signature_.name + " (operation)", definition_.operation},
                "; } while (false);\n    };\n"};
    }

    bool counts() const { return signature_.facts.index || signature_.facts.indexer; }

    std::string call(std::string_view index, std::string arguments) const {
        std::string text = "kgen_body(";
        if (counts()) {
            text += index;
            if (!arguments.empty()) text += ", ";
        }
        return text + arguments + ");\n";
    }

    std::string load(std::size_t k, const std::string& pointer) const {
        if (baked_.device == DeviceKind::host) return "*" + pointer;
        const bool read_only = baked_.operands[k].loads == Loads::read_only;
        return fmt::format("{}({})", read_only ? "kgen_load_read_only" : "kgen_load", pointer);
    }

    // One element: load, body, store; `address` gives the expression of an operand's element.
    template <typename Address>
    std::string element(std::string_view indent, std::string_view index, Address address) const {
        std::string loads;
        std::string stores;
        std::string arguments;
        for_arrays([&](std::size_t k) {
            if (!arguments.empty()) arguments += ", ";
            if (baked_.by_reference) {
                arguments += fmt::format("*({})", address(k));
                return std::string();
            }
            arguments += value(k);
            if (is_hoisted(k)) return std::string();
            loads += fmt::format("{}{} kgen_of_{} = {};\n",
                                 indent,
                                 parameter(k).written ? type(k) : "const " + type(k),
                                 name(k),
                                 load(k, fmt::format("({})", address(k))));
            if (parameter(k).written) stores += store(indent, k, address(k));
            return std::string();
        });
        return loads + std::string(indent) + call(index, arguments) + stores;
    }

    std::string store(std::string_view indent, std::size_t k, const std::string& pointer) const {
        if (baked_.device == DeviceKind::host)
            return fmt::format("{}*({}) = kgen_of_{};\n", indent, pointer, name(k));
        return fmt::format("{}kgen_store({}, kgen_of_{});\n", indent, pointer, name(k));
    }

    // Read once, before the loop over elements that all see the same one.
    bool is_hoisted(std::size_t k) const {
        return baked_.loop != LoopKind::strided && is_uniform(k) && !parameter(k).written &&
               !baked_.by_reference;
    }

    // --- linear ---------------------------------------------------------------------------------

    void add_linear(std::map<std::string, Slot>& slots) const {
        const auto address = [&](std::size_t k) {
            const std::string data = "kgen_p.kgen_data_" + name(k);
            return is_uniform(k) ? data : data + " + kgen_begin + kgen_k";
        };
        slots["uniform"] = {for_arrays([&](std::size_t k) {
            if (!is_hoisted(k)) return std::string();
            return fmt::format("    const {} kgen_of_{} = {};\n",
                               type(k),
                               name(k),
                               load(k, "kgen_p.kgen_data_" + name(k)));
        })};
        const bool tiled = baked_.vector * baked_.unroll > 1;
        slots["tile"] = {tiled ? full_tile() : ""};
        const std::string indent(tiled ? 8 : 4, ' ');
        std::string text = fmt::format(
            "{}for (unsigned kgen_k = kgen_thread(); kgen_k < kgen_tile && kgen_k < kgen_left; "
            "kgen_k += kgen_block_size()) {{\n",
            indent);
        text += element(indent + "    ", "kgen_begin + kgen_k", address);
        text += indent + "}\n";
        if (tiled) text += "    }\n";
        slots["element"] = {text};
    }

    std::string full_tile() const {
        const auto moves = [&](std::size_t k) { return !is_hoisted(k); };
        const auto vector_of = [&](std::size_t k) {
            return fmt::format("kgen_vector<{}, {}>", type(k), baked_.vector);
        };
        const auto pointer = [&](std::size_t k) {
            return fmt::format("({}{}*)(kgen_p.kgen_data_{} + kgen_begin) + kgen_place",
                               parameter(k).written ? "" : "const ",
                               vector_of(k),
                               name(k));
        };
        std::string declarations;
        std::string loads;
        std::string stores;
        std::string arguments;
        for_arrays([&](std::size_t k) {
            if (!arguments.empty()) arguments += ", ";
            arguments += moves(k) ? fmt::format("kgen_of_{}[kgen_access].kgen_at[kgen_e]", name(k))
                                  : value(k);
            if (!moves(k)) return std::string();
            declarations +=
                fmt::format("        {} kgen_of_{}[{}];\n", vector_of(k), name(k), baked_.unroll);
            loads += fmt::format(
                "            kgen_of_{}[kgen_access] = {};\n", name(k), load(k, pointer(k)));
            if (parameter(k).written) {
                stores += fmt::format(
                    "            kgen_store({}, kgen_of_{}[kgen_access]);\n", pointer(k), name(k));
            }
            return std::string();
        });
        const std::string each_access = fmt::format(
            "#pragma unroll\n        for (int kgen_access = 0; kgen_access < {}; ++kgen_access) "
            "{{\n",
            baked_.unroll);
        const std::string place =
            "            const unsigned kgen_place = kgen_access * kgen_block_size() + "
            "kgen_thread();\n";
        std::string text =
            "    if (kgen_left >= kgen_tile) {\n"
            "        // A whole tile: all loads, then the bodies, then the stores.\n";
        text += declarations;
        if (!loads.empty()) text += each_access + place + loads + "        }\n";
        text += each_access;
        text += fmt::format(
            "#pragma unroll\n            for (int kgen_e = 0; kgen_e < {}; ++kgen_e) {{\n",
            baked_.vector);
        const std::string index = fmt::format(
            "kgen_begin + (kgen_access * kgen_block_size() + kgen_thread()) * {} + kgen_e",
            baked_.vector);
        text += "                " + call(index, arguments) + "            }\n        }\n";
        if (!stores.empty()) text += each_access + place + stores + "        }\n";
        return text + "    } else {\n        // The last tile: element by element.\n";
    }

    // --- strided --------------------------------------------------------------------------------

    void add_strided(std::map<std::string, Slot>& slots) const {
        const bool narrow = baked_.width == IndexWidth::bits32;
        slots["index_type"] = {narrow ? "unsigned" : "unsigned long long"};
        slots["offset_type"] = {narrow ? "int" : "long long"};
        slots["offsets"] = {for_arrays([&](std::size_t k) {
            return fmt::format(
                "            {} kgen_offset_{} = 0;\n", narrow ? "int" : "long long", name(k));
        })};
        slots["advance"] = {for_arrays([&](std::size_t k) {
            return fmt::format(
                "                kgen_offset_{0} += kgen_index * "
                "kgen_p.kgen_strides_{0}[kgen_axis];\n",
                name(k));
        })};
        slots["advance_slowest"] = {for_arrays([&](std::size_t k) {
            return fmt::format(
                "            kgen_offset_{0} += ({1})kgen_rest * kgen_p.kgen_strides_{0}[0];\n",
                name(k),
                narrow ? "int" : "long long");
        })};
        const auto address = [&](std::size_t k) {
            return fmt::format("({0}*)(({1}char*)kgen_p.kgen_data_{2} + kgen_offset_{2})",
                               const_type(k),
                               parameter(k).written ? "" : "const ",
                               name(k));
        };
        slots["element"] = {element("            ", "kgen_at", address)};
    }

    // --- rows -----------------------------------------------------------------------------------

    void add_rows(std::map<std::string, Slot>& slots) const {
        slots["rows"] = {for_arrays([&](std::size_t k) {
            return fmt::format("        {0}char* kgen_row_{1} = ({0}char*)kgen_p.kgen_data_{1};\n",
                               parameter(k).written ? "" : "const ",
                               name(k));
        })};
        slots["row_offsets"] = {for_arrays([&](std::size_t k) {
            return fmt::format(
                "            kgen_row_{0} += kgen_index[kgen_axis] * "
                "kgen_p.kgen_strides_{0}[kgen_axis];\n",
                name(k));
        })};
        const auto pointer = [&](std::size_t k) {
            return fmt::format("({}*)kgen_row_{}", const_type(k), name(k));
        };
        const auto address = [&](std::size_t k) {
            switch (baked_.operands[k].inner) {
                case StrideClass::unit:
                    return fmt::format("({}) + kgen_k", pointer(k));
                case StrideClass::uniform:
                    return pointer(k);
                case StrideClass::strided:
                    break;
            }
            return fmt::format("({}*)(kgen_row_{} + kgen_k * kgen_p.kgen_strides_{}[{}])",
                               const_type(k),
                               name(k),
                               name(k),
                               baked_.rank - 1);
        };
        slots["uniform"] = {for_arrays([&](std::size_t k) {
            if (!is_hoisted(k)) return std::string();
            return fmt::format(
                "        const {} kgen_of_{} = *{};\n", type(k), name(k), pointer(k));
        })};
        slots["independent"] = {is_independent() ? independent_iterations : ""};
        slots["element"] = {element("            ", "kgen_at + kgen_k", address)};
    }

    // Overlaps are resolved before the launch, so that iterations do not see each other's stores,
    // unless the body reaches memory of its own.
    bool is_independent() const {
        if (baked_.by_reference || signature_.facts.keeps_state) return false;
        for (std::size_t k = 0; k < baked_.operands.size(); ++k) {
            if (baked_.operands[k].viewed && parameter(k).written) return false;
        }
        return true;
    }

    static constexpr const char* independent_iterations =
        "#ifdef __clang__\n"
        "#pragma clang loop vectorize(assume_safety)\n"
        "#else\n"
        "#pragma GCC ivdep\n"
        "#endif\n";
    const Definition& definition_;
    const Signature& signature_;
    const TypeBinding& types_;
    const Baked& baked_;
};

}  // namespace

Source generate_source(const Definition& definition,
                       const Signature& signature,
                       const TypeBinding& types,
                       const Baked& baked) {
    return Generator(definition, signature, types, baked).run();
}

}  // namespace kgen
