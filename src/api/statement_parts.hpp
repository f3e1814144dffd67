// SPDX-License-Identifier: MIT
//
// StatementParts: the expressions and markers of a compute() or bind(), of arrays or of sharded ones.
#pragma once

#include <deque>
#include <kgen/compute.hpp>
#include <kgen/error.hpp>
#include <span>
#include <string>
#include <type_traits>

#include "dtype/inline_vector.hpp"
#include "expression/tape.hpp"
#include "text/error_parts.hpp"

namespace kgen {

inline void append_cast(detail::Tape& tape, std::uint16_t word, DType dtype) {
    tape.code.push_back(word);
    tape.code.push_back(static_cast<std::uint16_t>(dtype));
}

// `A` is Array or ShardedArray.
template <typename A>
struct StatementParts {
    InlineVector<const detail::StatementPart*, 8> expressions;
    InlineVector<const A*, 8> outputs;
    const Stream* stream = nullptr;

    explicit StatementParts(std::span<const detail::StatementPart> parts) {
        for (const detail::StatementPart& each : parts) {
            if (const A* output = output_of(each)) {
                outputs.push_back(output);
            } else if (each.stream() != nullptr) {
                stream = each.stream();
            } else {
                expressions.push_back(&each);
            }
        }
        if (outputs.empty() || outputs.size() == expressions.size()) return;
        refuse<TypeError>(
            {ErrorKind::argument_count,
             {},
             std::to_string(expressions.size()),
             std::to_string(outputs.size())},
            "compute: {} outputs are given for {} expressions; give one for each, or none",
            outputs.size(),
            expressions.size());
    }

    void append(detail::Tape& tape, std::size_t k) const {
        tape.append(expressions[k]->operand());
        append_cast_of_output(tape, k);
    }

    // Computes the expressions at once if `is_one_statement` says so of their tape, and otherwise one after the other. `run`
    // takes a tape, the outputs of its roots, and room for their results.
    template <typename IsOneStatement, typename Run>
    void compute(std::span<A> results,
                 const IsOneStatement& is_one_statement,
                 const Run& run) const {
        if (expressions.size() == 1) return compute_one(results, run);
        const TapeHolder all;
        std::deque<TapeHolder> tapes;
        for (std::size_t k = 0; k < expressions.size(); ++k) append(*tapes.emplace_back(), k);
        for (const TapeHolder& each : tapes) all->append(*each);
        if (is_one_statement(*all)) return run(*all, std::span<const A* const>(outputs), results);
        for (std::size_t k = 0; k < tapes.size(); ++k)
            run(*tapes[k], std::span<const A* const>(), results.subspan(k, 1));
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            outputs[k]->assign(results[k]);
            results[k] = *outputs[k];
        }
    }

private:
    static const A* output_of(const detail::StatementPart& part) noexcept {
        if constexpr (std::is_same_v<A, Array>) {
            return part.output();
        } else {
            return part.sharded_output();
        }
    }

    void append_cast_of_output(detail::Tape& tape, std::size_t k) const {
        if (!outputs.empty()) append_cast(tape, tape_word::same_kind_cast, outputs[k]->dtype());
    }

    // An expression is computed in its own tape.
    template <typename Run>
    void compute_one(std::span<A> results, const Run& run) const {
        Expression* own = expressions[0]->operand().expression();
        const TapeHolder tape(own != nullptr ? detail::ExpressionAccess::take(*own) : take_tape());
        if (own == nullptr) tape->append(expressions[0]->operand());
        append_cast_of_output(*tape, 0);
        run(*tape, std::span<const A* const>(outputs), results);
    }
};

}  // namespace kgen
