// SPDX-License-Identifier: MIT
//
// The host's loops of reductions. Along the kept axes, `kgen_row_NAME` points to where an array's walk
// over an output begins; from there `kgen_in_NAME` moves along the reduced axes.
#include <fmt/format.h>

#include <embedded/reduced_columns_cpp_in.hpp>
#include <embedded/reduced_rows_cpp_in.hpp>

#include "source/reduction_source.hpp"

namespace kgen {

namespace {

class HostReduction {
public:
    explicit HostReduction(const ReductionText& text)
        : text_(text), kernel_(text.text()), baked_(text.baked()) {}

    std::string_view fill(Slots& slots) const {
        slots["pieces"] = {is_split(baked_) ? "kgen_p.kgen_pieces" : "1"};
        slots["work"] = {"kgen_p.kgen_count * (kgen_p.kgen_reduced > 0 ? kgen_p.kgen_reduced : 1)"};
        slots["length"] = {is_reduced() ? fmt::format("kgen_p.kgen_extents[{}]", last()) : "1"};
        slots["steps"] = {steps()};
        slots["first_row"] = {
            begin_inputs() +
            count_from(baked_.kept, last(), "kgen_place", inputs(), "            ")};
        slots["next_row"] = {step(baked_.kept, last(), "kgen_place", inputs(), "                ")};
        slots["uniform"] = {uniform()};
        slots["element"] = {element()};
        slots["empty"] = {
            text_.has_identity() && is_reduced()
                ? fmt::format(
                      "        if (kgen_chunks == 0) {}\n",
                      is_rows() ? "kgen_folds.kgen_push(kgen_single<kgen_accumulator>("
                                  "kgen_identity()), kgen_reduce);"
                                : "{\n"
                                  "            kgen_columns_band kgen_none;\n"
                                  "            kgen_none.kgen_start(kgen_many, kgen_identity());\n"
                                  "            kgen_folds.kgen_push(kgen_none, kgen_reduce);\n"
                                  "        }")
                : ""};
        slots["join"] = {join()};
        return is_rows() ? fill_rows(slots) : fill_columns(slots);
    }

private:
    // What moves with the walk: its variable and the strides by which it does.
    struct Mover {
        std::string name;
        std::string strides;
    };
    using Movers = std::vector<Mover>;

    bool is_wide() const { return !is_rows() && baked_.as<ReducedColumnsChoice>().wide; }
    bool is_rows() const { return baked_.loop == LoopKind::reduced_rows; }
    bool is_reduced() const { return baked_.rank > baked_.kept; }
    int last() const { return baked_.rank - 1; }
    // The axis that the elements of a band lie along; none where there is but one element.
    int along() const { return is_rows() ? last() : baked_.kept - 1; }

    static Mover place(std::string_view index, std::string_view level) {
        return {fmt::format("kgen_{}_{}", index, level),
                fmt::format("kgen_p.kgen_{}_strides", index)};
    }
    Movers outputs() const {
        Movers movers;
        kernel_.for_arrays([&](std::size_t k) {
            const std::string& name = kernel_.name(k);
            movers.push_back({"kgen_row_" + name, "kgen_p.kgen_strides_" + name});
            return std::string();
        });
        if (baked_.counted) movers.push_back(place("input", "begin"));
        if (baked_.counts_outputs) movers.push_back(place("output", "begin"));
        return movers;
    }
    Movers inputs() const {
        Movers movers;
        text_.for_inputs([&](std::size_t k) {
            const std::string& name = kernel_.name(k);
            movers.push_back({"kgen_in_" + name, "kgen_p.kgen_strides_" + name});
            return std::string();
        });
        if (baked_.counted) movers.push_back(place("input", "place"));
        if (baked_.counts_reduced) movers.push_back(place("reduced", "place"));
        return movers;
    }

    // The axes [first, end) as counters `index`, from where `kgen_rest` says.
    static std::string count_from(
        int first, int end, std::string_view index, const Movers& movers, std::string_view indent) {
        if (first >= end) return "";
        std::string text = fmt::format(
            "{0}long long {1}[{2}];\n"
            "{0}for (int kgen_axis = {3}; kgen_axis >= {4}; --kgen_axis) {{\n"
            "{0}    const long long kgen_extent = kgen_p.kgen_extents[kgen_axis];\n"
            "{0}    const long long kgen_over = kgen_rest > 0 ? kgen_rest / kgen_extent : 0;\n"
            "{0}    {1}[kgen_axis - {4}] = kgen_rest - kgen_over * kgen_extent;\n",
            indent,
            index,
            end - first,
            end - 1,
            first);
        for (const Mover& mover : movers)
            text += fmt::format("{}    {} += {}[kgen_axis - {}] * {}[kgen_axis];\n",
                                indent,
                                mover.name,
                                index,
                                first,
                                mover.strides);
        return text + fmt::format("{0}    kgen_rest = kgen_over;\n{0}}}\n", indent);
    }
    // One step along the innermost of these axes; at its end back to its begin and on to the next.
    static std::string step(
        int first, int end, std::string_view index, const Movers& movers, std::string_view indent) {
        if (first >= end) return "";
        std::string text =
            fmt::format("{}for (int kgen_axis = {}; kgen_axis >= {}; --kgen_axis) {{\n",
                        indent,
                        end - 1,
                        first);
        for (const Mover& mover : movers)
            text += fmt::format("{}    {} += {}[kgen_axis];\n", indent, mover.name, mover.strides);
        text += fmt::format(
            "{0}    if (++{1}[kgen_axis - {2}] < kgen_p.kgen_extents[kgen_axis]) break;\n"
            "{0}    {1}[kgen_axis - {2}] = 0;\n",
            indent,
            index,
            first);
        for (const Mover& mover : movers)
            text += fmt::format("{}    {} -= {}[kgen_axis] * kgen_p.kgen_extents[kgen_axis];\n",
                                indent,
                                mover.name,
                                mover.strides);
        return text + std::string(indent) + "}\n";
    }

    // Strides along the band as locals: a store may change the parameter block, as far as the compiler
    // knows.
    std::string steps() const {
        if (along() < 0) return "";
        std::string text = kernel_.for_arrays([&](std::size_t k) {
            const bool used = !is_rows() || !kernel_.is_written(k);
            if (!used || baked_.operands[k].inner != StrideClass::strided) return std::string();
            return fmt::format(
                "    const long long kgen_step_{0} = kgen_p.kgen_strides_{0}[{1}];\n",
                kernel_.name(k),
                along());
        });
        const auto place_step = [&](bool used, std::string_view index) {
            if (used)
                text += fmt::format(
                    "    const long long kgen_{0}_step = kgen_p.kgen_{0}_strides[{1}];\n",
                    index,
                    along());
        };
        place_step(baked_.counted, "input");
        place_step(baked_.counts_reduced && is_rows(), "reduced");
        place_step(baked_.counts_outputs && !is_rows(), "output");
        return text;
    }

    // Where everything begins, before any axis is counted.
    std::string begin_outputs(std::string_view indent) const {
        std::string text = kernel_.for_arrays([&](std::size_t k) {
            return fmt::format("{0}{1}char* kgen_row_{2} = ({1}char*)kgen_p.kgen_data_{2};\n",
                               indent,
                               kernel_.is_written(k) ? "" : "const ",
                               kernel_.name(k));
        });
        const auto begin = [&](bool used, std::string_view index) {
            if (used)
                text += fmt::format("{0}long long kgen_{1}_begin = kgen_p.kgen_{1}_strides[{2}];\n",
                                    indent,
                                    index,
                                    baked_.rank);
        };
        begin(baked_.counted, "input");
        begin(baked_.counts_outputs, "output");
        return text;
    }
    std::string begin_inputs() const {
        std::string text = text_.for_inputs([&](std::size_t k) {
            return fmt::format("            const char* kgen_in_{0} = kgen_row_{0};\n",
                               kernel_.name(k));
        });
        if (baked_.counted) text += "            long long kgen_input_place = kgen_input_begin;\n";
        if (baked_.counts_reduced)
            text += fmt::format(
                "            long long kgen_reduced_place = kgen_p.kgen_reduced_strides[{}];\n",
                baked_.rank);
        return text;
    }

    // Where the band's elements begin in the row.
    std::string row(std::size_t k) const {
        return (is_rows() ? "kgen_in_" : "kgen_at_") + kernel_.name(k);
    }
    std::string uniform() const {
        return text_.for_inputs([&](std::size_t k) {
            if (!kernel_.is_uniform(k)) return std::string();
            return fmt::format("                const {0} {1} = *(const {0}*){2};\n",
                               kernel_.type(k),
                               kernel_.value(k),
                               row(k));
        });
    }
    std::string address(std::size_t k, const std::string& from) const {
        const std::string type = kernel_.const_type(k);
        switch (along() < 0 ? StrideClass::uniform : baked_.operands[k].inner) {
            case StrideClass::unit:
                return fmt::format("({}*){} + kgen_k", type, from);
            case StrideClass::reversed:
                return fmt::format("({}*){} - kgen_k", type, from);
            case StrideClass::uniform:
                return fmt::format("({}*){}", type, from);
            case StrideClass::strided:
                break;
        }
        return fmt::format("({}*)({} + kgen_k * kgen_step_{})", type, from, kernel_.name(k));
    }
    std::string element() const {
        const auto along_band = [&](std::string_view place, std::string_view step) {
            return along() < 0 ? std::string(place) : fmt::format("{} + kgen_k * {}", place, step);
        };
        const std::string input =
            along_band(is_rows() ? "kgen_input_place" : "kgen_input_row", "kgen_input_step");
        const std::string reduced =
            is_rows() ? along_band("kgen_reduced_place", "kgen_reduced_step") : "kgen_reduced_row";
        const std::string output =
            is_rows() ? "kgen_output_begin" : along_band("kgen_output_begin", "kgen_output_step");
        return text_.element({input, reduced, output}, [&](std::size_t k) {
            return kernel_.is_uniform(k) ? kernel_.value(k)
                                         : fmt::format("*({})", address(k, row(k)));
        });
    }

    std::string join() const {
        if (!is_split(baked_)) return "";
        return fmt::format(
            "        if (kgen_cut.kgen_count > 1) {{\n"
            "            const long long kgen_bytes_each = sizeof(kgen_accumulator);\n"
            "            kgen_complete = kgen_join_pieces(\n"
            "                kgen_value_of_all, {}, kgen_piece, kgen_cut.kgen_count,\n"
            "                (char*)kgen_p.kgen_partials + kgen_output * kgen_bytes_each,\n"
            "                kgen_p.kgen_count * kgen_bytes_each, kgen_p.kgen_counters + {}, "
            "kgen_reduce);\n"
            "        }}\n",
            is_rows() ? "1" : "kgen_many",
            is_rows() ? "kgen_output" : "kgen_block_of_columns");
    }

    std::string_view fill_rows(Slots& slots) const {
        slots["first_output"] = {
            begin_outputs("    ") +
            (baked_.kept > 0 ? "    long long kgen_rest = kgen_output;\n" : "") +
            count_from(0, baked_.kept, "kgen_index", outputs(), "    ")};
        slots["next_output"] = {step(0, baked_.kept, "kgen_index", outputs(), "        ")};
        slots["start"] = {text_.has_identity()
                              ? "            kgen_lanes.kgen_start(kgen_lanes.kgen_most, "
                                "kgen_identity());\n"
                              : ""};
        slots["finish"] = {text_.finish(
            "            ",
            "kgen_output_begin",
            "kgen_value_of_all.kgen_at.kgen_value",
            [&](std::size_t k) {
                return fmt::format("({}*)kgen_row_{}", kernel_.type(k), kernel_.name(k));
            })};
        return embedded::reduced_rows_cpp_in;
    }

    std::string_view fill_columns(Slots& slots) const {
        slots["column_axis"] = {std::to_string(along())};
        slots["high"] = {is_wide() ? "kgen_width > kgen_columns ? kgen_width / kgen_columns : 1"
                                   : "1"};
        slots["wide"] = {is_wide() ? "kgen_high == 1 ? kgen_many : kgen_columns * (kgen_high < "
                                     "kgen_length - kgen_first_row ? kgen_high : kgen_length - "
                                     "kgen_first_row)"
                                   : "kgen_many"};
        slots["fold"] = {is_wide() ? "        if (kgen_high > 1) "
                                     "kgen_value_of_all.kgen_fold(kgen_columns, kgen_reduce);\n"
                                   : ""};
        slots["start"] = {
            text_.has_identity()
                ? fmt::format("            kgen_band_of_rows.kgen_start({}, kgen_identity());\n",
                              is_wide()
                                  ? "kgen_high == 1 ? kgen_many : kgen_columns * (kgen_high < "
                                    "kgen_length ? kgen_high : kgen_length)"
                                  : "kgen_many")
                : ""};
        std::string first =
            begin_outputs("        ") + count_from(0, along(), "kgen_index", outputs(), "        ");
        for (const Mover& mover : outputs())
            first += fmt::format(
                "        {} += kgen_column * {}[{}];\n", mover.name, mover.strides, along());
        slots["first_output"] = {first};
        std::string rows;
        for (const Mover& mover : inputs()) {
            const std::string by =
                is_reduced() ? fmt::format(" + kgen_first_row * {}[{}]", mover.strides, last())
                             : "";
            const bool counts =
                mover.name == "kgen_input_place" || mover.name == "kgen_reduced_place";
            const std::string name = mover.name.substr(0, mover.name.rfind("place"));
            rows +=
                counts
                    ? fmt::format(
                          "                const long long {}row = {}{};\n", name, mover.name, by)
                    : fmt::format("                const char* const kgen_at_{} = {}{};\n",
                                  mover.name.substr(8),
                                  mover.name,
                                  by);
        }
        slots["rows"] = {rows};
        slots["finish"] = {
            text_.finish("            ",
                         "kgen_output_begin + kgen_k * kgen_output_step",
                         "kgen_value_of_all.kgen_at.kgen_get(kgen_k)",
                         [&](std::size_t k) { return address(k, "kgen_row_" + kernel_.name(k)); })};
        return embedded::reduced_columns_cpp_in;
    }

    const ReductionText& text_;
    const KernelText& kernel_;
    const Baked& baked_;
};

}  // namespace

std::string_view fill_host_reduction(const ReductionText& text, Slots& slots) {
    return HostReduction(text).fill(slots);
}

}  // namespace kgen
