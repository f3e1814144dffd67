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

#include "api/statement_table.hpp"
#include "expression/row_groups.hpp"
#include "expression/tape.hpp"

namespace kgen {

class Evaluation {
public:
    // `outputs` are the given outputs, one for each root, or none. The code of the tape already converts the roots to
    // their dtypes. `stream` may be nullptr for the current stream. All are borrowed. Throws TypeError if the arrays are
    // sharded.
    Evaluation(detail::Tape& tape, std::span<const Array* const> outputs, const Stream* stream)
        : tape_(tape), outputs_(outputs), stream_(stream) {
        if (tape.has_stand_ins) [[unlikely]]
            refuse_sharded();
    }

    // Computes the roots into `results`. Throws the errors of Expression before anything is written to an output.
    void run(std::span<Array> results);
    BoundLaunch bind();
    // Explains each kernel, in the order in which they run.
    std::vector<Explanation> explain(const TargetOptions& target);
    // Whether one kernel may write all roots: they have one shape, or the elements of rows and one for each row.
    bool has_one_kernel();
    // The dtype and shape of the first root.
    ArraySpec spec();

private:
    // Returns the statement with the fewest kernels that fit the shapes. Draws of random numbers are kernels of their own if
    // other shapes broadcast with theirs.
    const KnownStatement& find();
    const KnownStatement& find_rows();
    void run_known(const KnownStatement& known, std::span<Array> results);
    void run_separately(const KnownStatement& known, std::span<Array> results);
    bool writes_outputs(const KnownStatement& known);
    bool has_shape_of_output(const KnownStatement& known, std::size_t root);
    // Lists what the kernel of a step is called with. `results` are those of the steps before, as Array or ArraySpec.
    template <typename Results>
    void fill_parts(const KnownStatement& known,
                    std::size_t step,
                    bool with_outputs,
                    const Results& results);
    void make_drawn(const KnownStatement& known,
                    std::size_t step,
                    bool with_outputs,
                    bool is_imagined);
    Device device() const;
    void check_stream() const;
    [[noreturn]] static void refuse_sharded();
    [[noreturn]] void explain_error(const KnownStatement& known) const;

    detail::Tape& tape_;
    std::span<const Array* const> outputs_;
    const Stream* stream_;
    std::optional<DeviceKind> explained_;  // of the device for which kernels are explained
    RowFit fit_ = RowFit::fits;            // of the row kernels that the statement might have
    Array drawn_;  // the output of a draw that is a kernel of its own, which is its input, too
    ArraySpec drawn_spec_;              // the same if nothing is computed
    Dims loop_shape_;                   // of a step that draws random numbers
    std::optional<Stream> own_stream_;  // of a statement that has no array
    Array stretched_;  // the first array of the last kernel, broadcast to the shape of the output
};

// Returns the dtype and the shape that computing the expression gives. Throws ShapeError if its shapes do not broadcast.
ArraySpec root_spec(const Expression& expression);

// Whether all roots of the tape have one shape, so that one kernel may write them.
bool has_one_shape(detail::Tape& tape);

}  // namespace kgen
