// SPDX-License-Identifier: MIT
//
// StepParts: what the kernels of a statement are called with.
#pragma once

#include <kgen/argument.hpp>
#include <kgen/array.hpp>
#include <kgen/stream.hpp>
#include <optional>
#include <span>
#include <vector>

#include "api/statement_table.hpp"
#include "expression/tape.hpp"

namespace kgen {

// Returns the shape of each node, and those that draws of random numbers name.
std::vector<Dims> shapes_of(const detail::Tape& tape, const KnownStatement& known);
std::vector<Dims> drawn_shapes(const detail::Tape& tape);

class StepParts {
public:
    // `outputs` are the given outputs, one for each root, or none. All arguments are borrowed.
    StepParts(detail::Tape& tape, std::span<const Array* const> outputs, const Stream* stream)
        : tape_(tape), outputs_(outputs), stream_(stream) {}

    // List in Tape::parts what the kernel of a step is called with. `results` are those of the steps before. It writes the
    // given outputs if `with_outputs`; `stretched` is then its first array unless it is nullptr.
    void list(const KnownStatement& known,
              std::size_t step,
              bool with_outputs,
              const Array* stretched,
              const std::vector<Array>& results);
    // The same for a call that is not made.
    void imagine(const KnownStatement& known,
                 std::size_t step,
                 const std::vector<ArraySpec>& results);
    // The arrays have no addresses either.
    void imagine_arrays(const KnownStatement& known,
                        std::size_t step,
                        const std::vector<ArraySpec>& results);

    // Returns the device of the statement.
    Device device() const;

private:
    template <typename Arrays, typename Results>
    void list_parts(const KnownStatement& known,
                    std::size_t step,
                    bool with_outputs,
                    const Array* stretched,
                    const Arrays& arrays,
                    const Results& results);
    void make_drawn(const KnownStatement& known,
                    std::size_t step,
                    bool with_outputs,
                    bool is_imagined);

    detail::Tape& tape_;
    std::span<const Array* const> outputs_;
    const Stream* stream_;
    // Of the step that was listed last.
    Array drawn_;  // the output of a draw that is a kernel of its own, which is its input, too
    ArraySpec drawn_spec_;              // the same if nothing is computed
    Dims loop_shape_;                   // of a step that draws random numbers
    std::optional<Stream> own_stream_;  // of a statement that has no array
    std::vector<ArraySpec> specs_;      // of the arrays, if they are imagined
};

}  // namespace kgen
