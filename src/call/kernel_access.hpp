// SPDX-License-Identifier: MIT
//
// KernelAccess: kernels of definitions that were read already.
#pragma once

#include <memory>
#include <utility>

#include "call/pipeline_choice.hpp"

namespace kgen {

// How kgen itself makes an ElementwiseKernel or a ReductionKernel, whichever the definition is of.
struct KernelAccess {
    template <class Kernel>
    static Kernel make(std::shared_ptr<const PipelineChoice> choice) {
        return Kernel(std::move(choice));
    }
    template <class Kernel>
    static Kernel make(Definition definition) {
        return make<Kernel>(std::make_shared<const OnlyPipeline>(std::move(definition)));
    }
};

}  // namespace kgen
