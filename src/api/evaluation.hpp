// SPDX-License-Identifier: MIT
//
// Evaluation: computes the roots of a tape.
#pragma once

#include <kgen/array.hpp>
#include <kgen/bound_launch.hpp>
#include <kgen/explanation.hpp>
#include <kgen/stream.hpp>
#include <optional>
#include <span>
#include <vector>

#include "api/row_choice.hpp"
#include "api/statement_table.hpp"
#include "api/step_parts.hpp"
#include "expression/tape.hpp"

namespace kgen {

class Evaluation {
public:
    // `outputs` are the given outputs, one for each root, or none. The code of the tape already converts the roots to
    // their dtypes. `stream` may be nullptr for the current stream. All are borrowed. Throws TypeError if the arrays are
    // sharded.
    Evaluation(detail::Tape& tape, std::span<const Array* const> outputs, const Stream* stream)
        : tape_(tape), outputs_(outputs), stream_(stream), parts_(tape, outputs, stream) {
        if (tape.has_stand_ins) [[unlikely]]
            refuse_sharded();
    }

    // Computes the roots into `results`. Throws the errors of Expression before anything is written to an output.
    void run(std::span<Array> results);
    BoundLaunch bind();
    // Explains each kernel, in the order in which they run.
    std::vector<Explanation> explain(const TargetOptions& target);
    // Whether one statement may compute all roots: those that are not results of row groups have one shape.
    bool is_one_statement();
    // The dtype and shape of the first root.
    ArraySpec spec();

private:
    // Returns the statement that is computed. Draws of random numbers are kernels of their own if other shapes broadcast with
    // theirs.
    const KnownStatement& find();
    const KnownStatement& find_draws(const KnownStatement& known);
    void run_known(const KnownStatement& known, std::span<Array> results);
    void run_present(const KnownStatement& known, std::span<Array> results);
    void run_separately(const KnownStatement& known, std::span<Array> results);
    bool writes_outputs(const KnownStatement& known);
    bool has_shape_of_output(const KnownStatement& known, std::size_t root);
    // Lists what the kernel of a step is called with.
    void list_parts(const KnownStatement& known, std::size_t step, bool with_outputs) {
        parts_.list(known,
                    step,
                    with_outputs,
                    stretched_.has_value() ? &stretched_ : nullptr,
                    tape_.results);
    }
    std::vector<Explanation> explain_known(const KnownStatement& known,
                                           const TargetOptions& target);
    void check_stream() const;
    [[noreturn]] static void refuse_sharded();
    [[noreturn]] void explain_error(const KnownStatement& known) const;

    detail::Tape& tape_;
    std::span<const Array* const> outputs_;
    const Stream* stream_;
    StepParts parts_;
    RowChoice choice_;  // of find()
    Array stretched_;   // the first array of the last kernel, broadcast to the shape of the output
};

// Returns the dtype and the shape that computing the expression gives. Throws ShapeError if its shapes do not broadcast.
ArraySpec root_spec(const Expression& expression);

// Whether all roots of the tape have one shape, so that one kernel may write them.
bool has_one_shape(detail::Tape& tape);

}  // namespace kgen
