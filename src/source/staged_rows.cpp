// SPDX-License-Identifier: MIT
//
// Staged rows: dense rows of few bytes are copied to shared memory, and a thread folds a row from there.
#include <fmt/format.h>

#include <embedded/stage_cuda_cuh.hpp>
#include <embedded/staged_rows_cu_in.hpp>

#include "source/reduction_cuda_text.hpp"
#include "source/reduction_source.hpp"

namespace kgen {

namespace {

class StagedRowsText {
public:
    explicit StagedRowsText(const ReductionText& text)
        : text_(text), cuda_(text), baked_(text.baked()) {}

    std::string copies() const {
        std::string room = "kgen_staged";
        return text_.for_inputs([&](std::size_t k) {
            if (!is_staged(k)) return std::string();
            const std::string& name = text_.text().name(k);
            const std::string line = fmt::format(
                "    {0}* const kgen_rows_{1} = kgen_stage<{0}>({2}, {3} + kgen_begin * kgen_row, "
                "kgen_here * kgen_row);\n",
                text_.text().type(k),
                name,
                room,
                cuda_.cuda().data(k));
            room += fmt::format(
                " + kgen_room_of(kgen_p.kgen_staged.kgen_block * kgen_row * (int)sizeof({}))",
                text_.text().type(k));
            return line;
        });
    }

    std::string kept() const {
        const std::string indent(8, ' ');
        std::string lines = cuda_.divide(indent, "kgen_output", 0, cuda_.kept()) +
                            cuda_.places(indent, "kgen_kept", 0, cuda_.kept(), true);
        return lines + text_.for_inputs([&](std::size_t k) {
            const std::string& name = text_.text().name(k);
            if (is_staged(k))
                return fmt::format(
                    "{0}const {1}* const kgen_at_{2} = kgen_rows_{2} + kgen_k * "
                    "kgen_row;\n",
                    indent,
                    text_.text().type(k),
                    name);
            return fmt::format("{}const char* const kgen_at_{} = (const char*){} + {};\n",
                               indent,
                               name,
                               cuda_.cuda().data(k),
                               cuda_.offset(k, 0, cuda_.kept()));
        });
    }

    std::string fold() const {
        const std::string element = text_.element(
            cuda_.place("kgen_kept", "kgen_e", cuda_.inner()).view(), [&](std::size_t k) {
                const std::string at = "kgen_at_" + text_.text().name(k);
                if (is_staged(k)) return at + "[kgen_e]";
                return text_.text().load(
                    k, cuda_.pointer(k, at, "kgen_e * " + cuda_.cuda().stride(k, cuda_.inner())));
            });
        const auto loop = [&](std::string_view line) {
            return fmt::format(
                "        int kgen_e = kgen_row % 2 == 0 ? kgen_k % kgen_row : 0;\n"
                "#pragma unroll 4\n"
                "        for (int kgen_count = 0; kgen_count < kgen_row; ++kgen_count) {{\n"
                "            {}\n"
                "            if (++kgen_e == kgen_row) kgen_e = 0;\n"
                "        }}\n",
                line);
        };
        const std::string plain = loop(fmt::format(
            "kgen_sums[0].kgen_add(kgen_accumulator(kgen_value({})), kgen_reduce);", element));
        if (!cuda_.adds_narrow()) return plain;
        return fmt::format(
            "        const int kgen_e = 0;\n"
            "        if (kgen_is_narrow<decltype({0})>::value) {{\n"
            "        int kgen_sum = 0;\n"
            "{1}"
            "        kgen_sums[0].kgen_add(kgen_accumulator(kgen_value(kgen_sum)), "
            "kgen_reduce);\n"
            "        }} else {{\n"
            "{2}"
            "        }}\n",
            element,
            loop(fmt::format("kgen_sum += (int)({});", element)),
            plain);
    }

    std::string start() const { return cuda_.start("        ", "kgen_sums", "1"); }
    std::string finish() const {
        return cuda_.finish("        ", "kgen_sums[0].kgen_at.kgen_value");
    }

private:
    bool is_staged(std::size_t k) const { return cuda_.cuda().access(k) == Access::shared; }

    const ReductionText& text_;
    ReductionCudaText cuda_;
    const Baked& baked_;
};

}  // namespace

std::string_view fill_staged_rows(const ReductionText& text, Slots& slots) {
    const StagedRowsText rows(text);
    slots["prelude"].before += without_licence(embedded::stage_cuda_cuh);
    slots["copies"] = {rows.copies()};
    slots["kept"] = {rows.kept()};
    slots["start"] = {rows.start()};
    slots["fold"] = {rows.fold()};
    slots["finish"] = {rows.finish()};
    return embedded::staged_rows_cu_in;
}

}  // namespace kgen
