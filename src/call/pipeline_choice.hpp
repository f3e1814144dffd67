// SPDX-License-Identifier: MIT
//
// PipelineChoice: which pipeline a call of a GeneratedKernel runs through.
#pragma once

#include <kgen/reduce_dims.hpp>
#include <utility>

#include "call/pipeline.hpp"

namespace kgen {

class PipelineChoice {
public:
    virtual ~PipelineChoice() = default;
    // The one for this call. Throws TypeError if none takes its arguments.
    virtual const Pipeline& choose(const CallView& view) const = 0;
    // Any of them, for what they have in common: the kernel's name, and those of its parameters.
    virtual const Pipeline& first() const noexcept = 0;
};

// Of a kernel that has one.
class OnlyPipeline final : public PipelineChoice {
public:
    explicit OnlyPipeline(Definition definition, ReduceDims reduce_dims = ReduceDims::yes)
        : pipeline_(std::move(definition),
                    reduce_dims == ReduceDims::yes ? Merging::yes : Merging::no) {}

    const Pipeline& choose(const CallView& /*view*/) const override { return pipeline_; }
    const Pipeline& first() const noexcept override { return pipeline_; }

private:
    Pipeline pipeline_;
};

}  // namespace kgen
