// SPDX-License-Identifier: MIT
//
// KernelAccess: makes kernels from definitions that are already parsed, and gives their pipelines.
#pragma once

#include <kgen/generated_kernel.hpp>
#include <memory>
#include <utility>

#include "call/pipeline_choice.hpp"

namespace kgen {

// Makes an ElementwiseKernel or a ReductionKernel, whichever the definition describes. For kgen's own use.
struct KernelAccess {
    template <class Kernel>
    static Kernel make(std::shared_ptr<const PipelineChoice> choice) {
        return Kernel(std::move(choice));
    }
    template <class Kernel>
    static Kernel make(Definition definition) {
        return make<Kernel>(std::make_shared<const OnlyPipeline>(std::move(definition)));
    }
    static const PipelineChoice& choice(const GeneratedKernel& kernel) noexcept {
        return kernel.choice();
    }
};

}  // namespace kgen
