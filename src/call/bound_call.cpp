// SPDX-License-Identifier: MIT
#include "call/bound_call.hpp"

#include "call/call_binder.hpp"
#include "memory/layout.hpp"
#include "plan/broadcast.hpp"
#include "plan/plan.hpp"
#include "plan/walk.hpp"
#include "text/advice.hpp"

namespace kgen {

namespace {

class ElementwiseBinder : CallBinder {
public:
    using CallBinder::CallBinder;

    void run() {
        check_options();
        bind_arguments();
        find_loop();
        check_written();
        plan_outputs();
    }

private:
    void check_options() const {
        if (options_.axes || options_.keepdims) {
            const char* const option = options_.axes ? "axis" : "keepdims";
            refuse<TypeError>({ErrorKind::option, option, "no " + std::string(option), option},
                              "{} is for reductions, but the kernel is elementwise",
                              advise(options_.axes ? Advice::axis_name : Advice::keepdims_name));
        }
        if (!options_.block_size) return;
        if (*options_.block_size >= 1 && *options_.block_size <= most_threads) return;
        refuse<ShapeError>({ErrorKind::option,
                            "block_size",
                            fmt::format("1 to {}", most_threads),
                            std::to_string(*options_.block_size)},
                           "{} is {}, expected 1 to {}",
                           advise(Advice::block_size_name),
                           *options_.block_size,
                           most_threads);
    }

    void find_loop() {
        const PerParameter<std::size_t> outputs = walked_outputs();
        PerParameter<std::size_t> walked = walked_inputs();
        // Without array inputs, the outputs determine the loop.
        if (walked.empty() && options_.loop_shape == nullptr) walked = outputs;
        Dims loop = loop_of(walked);
        if (walked.empty() && options_.loop_shape == nullptr) {
            call_.loop = loop;
            return;
        }
        // If a given output is larger than the inputs, the inputs broadcast to it.
        for (const std::size_t k : outputs) {
            if (call_.operands[k].shape == loop) continue;
            Dims wider = loop;
            if (options_.loop_shape == nullptr &&
                broadcast_to_both(wider, call_.operands[k].shape) &&
                wider == call_.operands[k].shape)
                loop = wider;
        }
        check_fits([] { return "the loop"; }, [&] { element_count(loop); });
        call_.loop = loop;
        for (const std::size_t k : outputs) {
            if (call_.operands[k].shape == loop) continue;
            refuse<ShapeError>({ErrorKind::shape,
                                parameter(k).name,
                                to_text(loop),
                                to_text(call_.operands[k].shape)},
                               "{} has shape {}, but the {} {}",
                               argument(k),
                               to_text(call_.operands[k].shape),
                               !walked.empty() && parameter(walked[0]).output
                                   ? "outputs need"
                                   : "inputs broadcast to",
                               to_text(loop));
        }
    }

    void plan_outputs() {
        StrideRows strides;
        for (std::size_t k = inputs(); k < count(); ++k) {
            if (is_array(k)) continue;
            check_new_output(k, options_.size.has_value() ? NewShape::known : NewShape::unknown);
            if (strides.empty()) strides = input_strides();
            Operand& operand = call_.operands[k];
            check_fits([&] { return argument(k); },
                       [&] { checked_size_bytes(call_.loop, operand.dtype); });
            operand.shape = call_.loop;
            operand.strides = k_strides(call_.loop, strides, item_size(operand.dtype));
            call_.new_outputs.push_back({k, operand.shape, operand.strides});
        }
    }
};

}  // namespace

BoundCall bind_call(const Signature& signature, const CallView& call, CallPurpose purpose) {
    BoundCall bound;
    if (signature.folds())
        bind_reduction(signature, call, purpose, bound);
    else
        ElementwiseBinder(signature, call, purpose, bound).run();
    return bound;
}

Stream stream_of(const Signature& signature, const BoundCall& call, const CallView& view) {
    if (view.stream == nullptr) return current_stream(call.device);
    if (view.stream->device() == call.device) return *view.stream;
    refuse<ShapeError>(
        {ErrorKind::device, "stream", to_text(call.device), to_text(view.stream->device())},
        "kernel '{}': the stream is on {}, but the call is on {}",
        signature.name,
        to_text(view.stream->device()),
        to_text(call.device));
}

}  // namespace kgen
