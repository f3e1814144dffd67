// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <embedded/vector_rows_cu_in.hpp>

#include "source/cuda_text.hpp"
#include "source/loop_slots.hpp"

namespace kgen {

namespace {

class VectorRowsLoop {
public:
    explicit VectorRowsLoop(const KernelText& text)
        : text_(text), cuda_(text), baked_(text.baked()) {}

    // Where each array's first vector lies. The innermost axis counts vectors, the one outside it
    // groups of rows.
    std::string place() const {
        const int inner = baked_.rank - 1;
        const std::string indent(8, ' ');
        std::string text;
        if (grouped()) {
            text += fmt::format(
                "{}const long long kgen_row = kgen_i{} * kgen_p.kgen_rows.kgen_first;\n",
                indent,
                inner - 1);
        }
        text += text_.for_arrays([&](std::size_t k) {
            return fmt::format("{}{} const kgen_at_{} = {};\n",
                               indent,
                               text_.const_type(k) + "*",
                               text_.name(k),
                               cuda_.at_bytes(k, cuda_.data(k), "(" + offset(k) + ")"));
        });
        if (text_.counts()) {
            std::string index;
            for (int axis = 0; axis < baked_.rank; ++axis) {
                index += fmt::format("{}{} * {}kgen_p.kgen_index_strides[{}]",
                                     axis > 0 ? " + " : "",
                                     position(axis, "long long"),
                                     axis == inner ? fmt::format("{} * ", baked_.vector) : "",
                                     axis);
            }
            text += fmt::format("{}const long long kgen_index = {};\n", indent, index);
        }
        return text;
    }

    // What every row shares is read once.
    std::string shared() const {
        return text_.for_arrays([&](std::size_t k) {
            return is_shared(k) ? load_lines(k, "        ", value_type(k) + " ") : std::string();
        });
    }

    std::string rows() const {
        if (!grouped()) return row("        ");
        const int count = baked_.unroll;
        std::string text = fmt::format(
            "        if (kgen_row + {} * kgen_p.kgen_rows.kgen_step < "
            "kgen_p.kgen_rows.kgen_extent) {{\n",
            count - 1);
        text += text_.for_arrays([&](std::size_t k) {
            if (is_shared(k)) return std::string();
            return fmt::format("            {} {}[{}];\n", value_type(k), text_.value(k), count);
        });
        const std::string indent(16, ' ');
        const auto each_row = [&](const std::string& lines) {
            return CudaText::repeat("            ", "kgen_r", count, lines);
        };
        text += each_row(loads(indent, "[kgen_r]"));
        text += each_row(bodies(indent, "[kgen_r]"));
        text += each_row(stores(indent, "[kgen_r]"));
        text += "        } else {\n";
        text += fmt::format(
            "            for (int kgen_r = 0; kgen_row + kgen_r * kgen_p.kgen_rows.kgen_step < "
            "kgen_p.kgen_rows.kgen_extent; ++kgen_r) {{\n");
        return text + row(indent) + "            }\n        }\n";
    }

private:
    bool grouped() const { return baked_.unroll > 1; }
    bool is_shared(std::size_t k) const {
        return grouped() && baked_.operands[k].repeats && !text_.is_written(k);
    }
    // Uniform arrays have one value for all elements of a vector.
    std::string value_type(std::size_t k) const {
        return cuda_.access(k) == Access::uniform ? text_.type(k) : cuda_.vector_type(k);
    }

    std::string position(int axis, std::string_view type) const {
        if (grouped() && axis == baked_.rank - 2) return fmt::format("({})kgen_row", type);
        return fmt::format("({})kgen_i{}", type, axis);
    }

    std::string offset(std::size_t k) const {
        std::string text;
        for (int axis = 0; axis < baked_.rank; ++axis) {
            if (axis > 0) text += " + ";
            text +=
                fmt::format("{} * {}", position(axis, cuda_.offset_type()), cuda_.stride(k, axis));
            if (axis == baked_.rank - 1) text += fmt::format(" * {}", baked_.vector);
        }
        return text;
    }

    // The array's pointer in row kgen_r, as a pointer to its elements.
    std::string pointer(std::size_t k) const {
        const std::string first = "kgen_at_" + text_.name(k);
        if (!grouped() || is_shared(k)) return first;
        return cuda_.at_bytes(k,
                              first,
                              fmt::format("kgen_r * ({})kgen_p.kgen_rows.kgen_step * {}",
                                          cuda_.offset_type(),
                                          cuda_.stride(k, baked_.rank - 2)));
    }

    // `declared` begins the line that sets the value: its type, or nothing.
    std::string load_lines(std::size_t k,
                           const std::string& indent,
                           const std::string& declared,
                           const std::string& at = "") const {
        const std::string value = text_.value(k) + at;
        switch (cuda_.access(k)) {
            case Access::vector:
                return fmt::format("{}{}{} = {};\n",
                                   indent,
                                   declared,
                                   value,
                                   text_.load(k, cuda_.as_vectors(k, pointer(k))));
            case Access::uniform:
                return fmt::format(
                    "{}{}{} = {};\n", indent, declared, value, text_.load(k, pointer(k)));
            default:
                break;
        }
        std::string text =
            declared.empty() ? "" : fmt::format("{}{}{};\n", indent, declared, value);
        const std::string element = cuda_.at_bytes(
            k, pointer(k), fmt::format("kgen_e * {}", cuda_.stride(k, baked_.rank - 1)));
        return text +
               CudaText::repeat(
                   indent,
                   "kgen_e",
                   baked_.vector,
                   fmt::format(
                       "{}    {}.kgen_at[kgen_e] = {};\n", indent, value, text_.load(k, element)));
    }

    std::string loads(const std::string& indent, const std::string& at) const {
        return text_.for_arrays([&](std::size_t k) {
            if (is_shared(k)) return std::string();
            return load_lines(k, indent, at.empty() ? value_type(k) + " " : "", at);
        });
    }

    std::string bodies(const std::string& indent, const std::string& at) const {
        std::string index = "kgen_index + kgen_e";
        if (grouped()) {
            index += fmt::format(
                " + kgen_r * kgen_p.kgen_rows.kgen_step * kgen_p.kgen_index_strides[{}]",
                baked_.rank - 2);
        }
        const std::string call = text_.call(index, [&](std::size_t k) {
            return text_.value(k) + (is_shared(k) ? "" : at) +
                   (cuda_.access(k) == Access::uniform ? "" : ".kgen_at[kgen_e]");
        });
        return CudaText::repeat(indent, "kgen_e", baked_.vector, indent + "    " + call);
    }

    std::string stores(const std::string& indent, const std::string& at) const {
        return text_.for_arrays([&](std::size_t k) {
            if (!text_.is_written(k)) return std::string();
            return indent + text_.store(cuda_.as_vectors(k, pointer(k)), text_.value(k) + at);
        });
    }

    // One row from its loads to its stores.
    std::string row(const std::string& indent) const {
        return loads(indent, "") + bodies(indent, "") + stores(indent, "");
    }

    const KernelText& text_;
    CudaText cuda_;
    const Baked& baked_;
};

}  // namespace

std::string_view fill_vector_rows_loop(const KernelText& text, Slots& slots) {
    const VectorRowsLoop loop(text);
    const CudaText cuda(text);
    slots["index_type"] = {std::string(cuda.index_type())};
    slots["divide"] = {cuda.divide("        ", "kgen_at")};
    slots["place"] = {loop.place()};
    slots["shared"] = {loop.shared()};
    slots["rows"] = {loop.rows()};
    return embedded::vector_rows_cu_in;
}

}  // namespace kgen
