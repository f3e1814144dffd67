// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <embedded/flat_cu_in.hpp>
#include <embedded/single_cu_in.hpp>

#include "plan/parameter_block.hpp"
#include "source/cuda_text.hpp"
#include "source/loop_slots.hpp"

namespace kgen {

namespace {

class FlatLoop {
public:
    explicit FlatLoop(const KernelText& text)
        : text_(text), cuda_(text), baked_(text.baked()), many_(text.baked().unroll > 1) {}

    // Where the element kgen_at of an array that needs its strides lies.
    std::string divide(std::string_view indent, std::string_view index) const {
        if (!divides(baked_)) return "";
        const std::string from = fmt::format("({}){}", cuda_.index_type(), index);
        if (!many_ && baked_.vector == 1 && cuda_.has_many_axes(0, baked_.rank))
            return divide_in_loop(indent, from);
        return cuda_.divide(indent, from) + text_.for_arrays([&](std::size_t k) {
            if (cuda_.access(k) != Access::elements) return std::string();
            return fmt::format("{}{} kgen_offset_{} = {};\n",
                               indent,
                               cuda_.offset_type(),
                               text_.name(k),
                               cuda_.offset(k));
        });
    }

    std::string address(std::size_t k, std::string_view index) const {
        switch (cuda_.access(k)) {
            case Access::uniform:
                return cuda_.data(k);
            case Access::elements:
                return cuda_.at_bytes(k, cuda_.data(k), "kgen_offset_" + text_.name(k));
            default:
                return cuda_.data(k) + " + " + std::string(index);
        }
    }

    // A whole tile of vectors. With one access a thread there are no arrays and no loop over them.
    std::string tile() const {
        std::string text;
        if (many_) {
            text += text_.for_arrays([&](std::size_t k) {
                if (text_.is_hoisted(k)) return std::string();
                std::string lines = fmt::format(
                    "        {} {}[{}];\n", cuda_.vector_type(k), text_.value(k), baked_.unroll);
                if (keeps_pointer(k)) {
                    lines += fmt::format("        {}* kgen_pointer_{}[{}];\n",
                                         text_.type(k),
                                         text_.name(k),
                                         baked_.unroll);
                }
                return lines;
            });
        }
        return text + for_each_access(loads()) + for_each_access(bodies()) +
               for_each_access(stores());
    }

private:
    std::string divide_in_loop(std::string_view indent, std::string_view index) const {
        const auto offsets = [&](std::string_view format) {
            return text_.for_arrays([&](std::size_t k) {
                if (cuda_.access(k) != Access::elements) return std::string();
                return fmt::format(
                    fmt::runtime(format), indent, cuda_.offset_type(), text_.name(k));
            });
        };
        return offsets("{}{} kgen_offset_{} = 0;\n") +
               cuda_.divide_in_loop(indent,
                                    index,
                                    0,
                                    baked_.rank,
                                    offsets("{0}    kgen_offset_{2} += ({1})kgen_i * "
                                            "kgen_p.kgen_strides_{2}[kgen_axis];\n"));
    }

    std::string indent() const { return std::string(many_ ? 12 : 8, ' '); }
    std::string access_of(std::size_t k) const {
        return text_.value(k) + (many_ ? "[kgen_access]" : "");
    }
    // Stores of elements go where the loads came from.
    bool keeps_pointer(std::size_t k) const {
        return text_.is_written(k) && cuda_.access(k) == Access::elements;
    }
    std::string pointer(std::size_t k) const {
        return "kgen_pointer_" + text_.name(k) + (many_ ? "[kgen_access]" : "");
    }

    std::string for_each_access(const std::string& lines) const {
        return many_ ? CudaText::repeat("        ", "kgen_access", baked_.unroll, lines) : lines;
    }
    std::string for_each_element(const std::string& lines) const {
        return CudaText::repeat(indent(), "kgen_e", baked_.vector, lines);
    }

    std::string first() const {
        return fmt::format(
            "{}const long long kgen_first = kgen_begin + {} * {};\n",
            indent(),
            many_ ? "(kgen_thread() + kgen_access * kgen_block_size())" : "kgen_thread()",
            baked_.vector);
    }

    std::string loads() const {
        std::string text = first() + divide(indent(), "kgen_first");
        if (!many_) {
            text += text_.for_arrays([&](std::size_t k) {
                if (text_.is_hoisted(k) || cuda_.access(k) == Access::vector) return std::string();
                return fmt::format("{}{} {};\n", indent(), cuda_.vector_type(k), text_.value(k));
            });
        }
        text += text_.for_arrays([&](std::size_t k) {
            if (!keeps_pointer(k)) return std::string();
            return fmt::format("{}{}{} = {};\n",
                               indent(),
                               many_ ? "" : text_.type(k) + "* ",
                               pointer(k),
                               address(k, ""));
        });
        text += text_.for_arrays([&](std::size_t k) {
            if (cuda_.access(k) != Access::vector) return std::string();
            return fmt::format("{}{}{} = {};\n",
                               indent(),
                               many_ ? "" : cuda_.vector_type(k) + " ",
                               access_of(k),
                               text_.load(k, cuda_.as_vectors(k, cuda_.data(k) + " + kgen_first")));
        });
        return text + for_each_element(element_loads());
    }

    // What is not read as a vector, and the step to the next element.
    std::string element_loads() const {
        const std::string inner = indent() + "    ";
        std::string text = text_.for_arrays([&](std::size_t k) {
            const Access access = cuda_.access(k);
            if (access != Access::elements && access != Access::singles) return std::string();
            return fmt::format("{}{}.kgen_at[kgen_e] = {};\n",
                               inner,
                               access_of(k),
                               text_.load(k, address(k, "kgen_first + kgen_e")));
        });
        if (baked_.vector == 1 || !divides(baked_)) return text;
        return text + step(inner, baked_.rank - 1);
    }

    // The next element along `axis`, and where that ends, along the one outside it.
    std::string step(const std::string& inner, int axis) const {
        const auto move = [&](const std::string& indent, const std::string& extent) {
            return text_.for_arrays([&](std::size_t k) {
                if (cuda_.access(k) != Access::elements) return std::string();
                const std::string offset = "kgen_offset_" + text_.name(k);
                return fmt::format("{}{} = {}({}{}, {});\n",
                                   indent,
                                   offset,
                                   extent.empty() ? "kgen_forth" : "kgen_back",
                                   offset,
                                   extent,
                                   cuda_.stride(k, axis));
            });
        };
        std::string text = move(inner, "");
        if (axis == 0) return text;
        const std::string deeper = inner + "    ";
        const std::string extent = fmt::format("kgen_extent_of(kgen_p.kgen_extents[{}])", axis);
        return text +
               fmt::format("{0}if (++kgen_i{1} == {2}) {{\n{3}kgen_i{1} = 0;\n",
                           inner,
                           axis,
                           extent,
                           deeper) +
               move(deeper, ", " + extent) + step(deeper, axis - 1) + inner + "}\n";
    }

    std::string bodies() const {
        const std::string index =
            many_ ? fmt::format(
                        "kgen_begin + (kgen_thread() + kgen_access * kgen_block_size()) * {} + "
                        "kgen_e",
                        baked_.vector)
                  : "kgen_first + kgen_e";
        return for_each_element(indent() + "    " + text_.call(index, [&](std::size_t k) {
            return text_.is_hoisted(k) ? text_.value(k) : access_of(k) + ".kgen_at[kgen_e]";
        }));
    }

    std::string stores() const {
        const std::string begin = many_ && has_dense_stores() ? first() : "";
        const std::string vectors = text_.for_arrays([&](std::size_t k) {
            if (!text_.is_written(k) || cuda_.access(k) != Access::vector) return std::string();
            return indent() +
                   text_.store(cuda_.as_vectors(k, cuda_.data(k) + " + kgen_first"), access_of(k));
        });
        const std::string elements = text_.for_arrays([&](std::size_t k) {
            if (!text_.is_written(k) || cuda_.access(k) == Access::vector) return std::string();
            return indent() + "    " +
                   text_.store(keeps_pointer(k) ? pointer(k) : address(k, "kgen_first + kgen_e"),
                               access_of(k) + ".kgen_at[kgen_e]");
        });
        return begin + vectors + for_each_element(elements);
    }
    bool has_dense_stores() const {
        bool any = false;
        text_.for_arrays([&](std::size_t k) {
            any = any || (text_.is_written(k) && cuda_.access(k) != Access::elements);
            return std::string();
        });
        return any;
    }

    const KernelText& text_;
    CudaText cuda_;
    const Baked& baked_;
    bool many_;
};

}  // namespace

std::string_view fill_flat_loop(const KernelText& text, Slots& slots) {
    const FlatLoop loop(text);
    const Baked& baked = text.baked();
    const bool tiled = baked.vector * baked.unroll > 1;
    const std::string indent(tiled ? 12 : 8, ' ');
    slots["uniform"] = {text.hoisted("    ", [&](std::size_t k) { return loop.address(k, ""); })};
    slots["divide"] = {loop.divide(indent, "kgen_at")};
    slots["element"] = {
        text.element(indent, "kgen_at", [&](std::size_t k) { return loop.address(k, "kgen_at"); })};
    if (!tiled) return embedded::single_cu_in;
    slots["tile"] = {loop.tile()};
    slots["shift"] = {baked.shifted ? " - kgen_p.kgen_shift" : ""};
    slots["after_begin"] = {baked.shifted ? "kgen_begin >= 0 && " : ""};
    slots["before_begin"] = {baked.shifted ? "            if (kgen_at < 0) continue;\n" : ""};
    slots["bound"] = {baked.shifted ? "(kgen_left < kgen_tile ? kgen_left : kgen_tile)"
                                    : "kgen_left"};
    return embedded::flat_cu_in;
}

}  // namespace kgen
