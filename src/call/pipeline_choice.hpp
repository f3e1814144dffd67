// SPDX-License-Identifier: MIT
//
// PipelineChoice: chooses the pipeline of a call of a GeneratedKernel.
#pragma once

#include <kgen/reduce_dims.hpp>
#include <utility>

#include "call/pipeline.hpp"

namespace kgen {

class PipelineChoice {
public:
    virtual ~PipelineChoice() = default;
    // Returns the pipeline for this call. Throws TypeError if no pipeline takes its arguments.
    virtual const Pipeline& choose(const CallView& view) const = 0;
    // Returns any pipeline. Its kernel name and parameter names are those of all pipelines.
    virtual const Pipeline& first() const noexcept = 0;
};

// The choice of a kernel that has only one pipeline.
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
