// SPDX-License-Identifier: MIT
#include <utility>

#include "call/call_binder.hpp"
#include "memory/layout.hpp"
#include "plan/walk.hpp"
#include "text/advice.hpp"

namespace kgen {

namespace {

// Of reductions and row kernels.
class ReductionBinder : CallBinder {
public:
    using CallBinder::CallBinder;

    void run() {
        if (options_.block_size) {
            refuse<TypeError>(
                {ErrorKind::option,
                 "block_size",
                 "no block_size",
                 std::to_string(*options_.block_size)},
                "{} is for elementwise kernels; a reduction chooses its own block size",
                advise(Advice::block_size_name));
        }
        bind_arguments();
        call_.loop = loop_of(walked_inputs());
        check_fits([] { return "the loop"; }, [&] { element_count(call_.loop); });
        find_axes();
        check_results();
        check_written();
        check_identity();
        place_given_outputs();
        place_new_outputs();
    }

private:
    int rank() const { return call_.loop.rank(); }
    bool is_reduced(int axis) const { return contains(call_.reduced_axes, axis); }

    void find_axes() {
        if (!options_.axes) {
            call_.reduced_axes = (AxisSet{1} << rank()) - 1;
            return;
        }
        for (const int given : *options_.axes) {
            if (given < -rank() || given >= rank()) {
                if (rank() == 0) {
                    refuse<ShapeError>(
                        {ErrorKind::option, "axis", "no axis", std::to_string(given)},
                        "axis {} is given, but the inputs have no axes",
                        given);
                }
                refuse<ShapeError>(
                    {ErrorKind::option,
                     "axis",
                     fmt::format("{} to {}", -rank(), rank() - 1),
                     std::to_string(given)},
                    "axis {} is out of range: the inputs have shape {}, expected {} to {}",
                    given,
                    to_text(call_.loop),
                    -rank(),
                    rank() - 1);
            }
            const int axis = given < 0 ? given + rank() : given;
            if (is_reduced(axis)) {
                refuse<ShapeError>({ErrorKind::option,
                                    "axis",
                                    "each axis once",
                                    fmt::format("({})", fmt::join(*options_.axes, ", "))},
                                   "axis {} is given twice: {} of shape {}",
                                   axis,
                                   fmt::format("({})", fmt::join(*options_.axes, ", ")),
                                   to_text(call_.loop));
            }
            call_.reduced_axes |= AxisSet{1} << axis;
        }
    }

    RowOutput form_of(std::size_t k) const {
        return signature_.output_form(k - inputs(),
                                      options_.keepdims ? RowOutput::kept : RowOutput::gone);
    }

    // Returns the shape of an output. Reduced axes that are kept have extent 1.
    Dims result_shape(RowOutput form) const {
        if (form == RowOutput::elements) return call_.loop;
        Dims shape;
        for (int axis = 0; axis < rank(); ++axis) {
            if (!is_reduced(axis)) {
                shape.push_back(call_.loop[axis]);
            } else if (form == RowOutput::kept) {
                shape.push_back(1);
            }
        }
        return shape;
    }
    Dims walked_shape(std::size_t k) const {
        return result_shape(form_of(k) == RowOutput::elements ? RowOutput::elements
                                                              : RowOutput::kept);
    }

    void check_results() const {
        for (const std::size_t k : walked_outputs()) {
            const Dims expected = result_shape(form_of(k));
            const Dims& shape = call_.operands[k].shape;
            if (shape == expected) continue;
            const RowOutput other = options_.keepdims ? RowOutput::gone : RowOutput::kept;
            const bool is_other_form = shape == result_shape(other);
            refuse<ShapeError>(
                {ErrorKind::shape, parameter(k).name, to_text(expected), to_text(shape)},
                "{} has shape {}, but the result has {}{}",
                argument(k),
                to_text(shape),
                to_text(expected),
                is_other_form ? "; " + advise(options_.keepdims ? Advice::remove_keepdims
                                                                : Advice::pass_keepdims)
                              : "");
        }
    }

    void check_identity() const {
        if (!signature_.reduction || signature_.reduction->has_identity) return;
        if (extent_product(call_.loop) != 0) return;
        if (extent_product(result_shape(RowOutput::gone)) == 0) return;
        refuse<ShapeError>(
            {ErrorKind::shape, {}, "at least one element", to_text(call_.loop)},
            "cannot reduce zero elements without an identity: shape {}{}; {}",
            to_text(call_.loop),
            options_.axes ? fmt::format(" along ({})", fmt::join(*options_.axes, ", ")) : "",
            advise(Advice::pass_identity));
    }

    void place_given_outputs() {
        for (const std::size_t k : walked_outputs()) {
            Operand& operand = call_.operands[k];
            operand.strides = walk_of_output(call_, operand.shape, operand.strides);
            operand.shape = walked_shape(k);
        }
    }

    // New outputs are laid out in memory like the inputs along the axes that they have.
    void place_new_outputs() {
        StrideRows strides;
        for (std::size_t k = inputs(); k < count(); ++k) {
            if (is_array(k)) continue;
            check_new_output(k, NewShape::unknown);
            if (strides.empty()) strides = input_strides();
            const Dims shape = result_shape(form_of(k));
            StrideRows own_strides;
            for (std::size_t j = 0; j < strides.size(); ++j) {
                Dims own;
                for (int axis = 0; axis < rank(); ++axis) {
                    if (!is_reduced(axis) || form_of(k) != RowOutput::gone)
                        own.push_back(strides.at(j, axis));
                }
                own_strides.push_back(own);
            }
            Operand& operand = call_.operands[k];
            check_fits([&] { return argument(k); },
                       [&] { checked_size_bytes(shape, operand.dtype); });
            const Dims own = k_strides(shape, own_strides, item_size(operand.dtype));
            operand.shape = walked_shape(k);
            operand.strides = walk_of_output(call_, shape, own);
            call_.new_outputs.push_back({k, shape, own});
        }
    }
};

}  // namespace

void bind_reduction(const Signature& signature,
                    const CallView& call,
                    CallPurpose purpose,
                    BoundCall& bound) {
    ReductionBinder(signature, call, purpose, bound).run();
}

Dims walk_of_output(const BoundCall& call, const Dims& shape, const Dims& strides) {
    if (shape == call.loop) return strides;
    // Without reduced axes, both forms of an output are the same.
    const bool has_reduced = strides.rank() == call.loop.rank();
    Dims walk = Dims::filled(call.loop.rank(), 0);
    int own = 0;
    for (int axis = 0; axis < walk.rank(); ++axis) {
        const bool reduced = contains(call.reduced_axes, axis);
        if (reduced && !has_reduced) continue;
        if (!reduced) walk[axis] = strides[own];
        ++own;
    }
    return walk;
}

}  // namespace kgen
