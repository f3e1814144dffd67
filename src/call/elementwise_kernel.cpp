// SPDX-License-Identifier: MIT
#include <kgen/elementwise_kernel.hpp>

#include "call/pipeline_choice.hpp"
#include "text/environment.hpp"
#include "text/rethrow.hpp"

namespace kgen {

ElementwiseKernel::ElementwiseKernel(std::string_view inputs,
                                     std::string_view outputs,
                                     std::string_view operation,
                                     std::string_view name,
                                     ElementwiseOptions options) try
    : GeneratedKernel(std::make_shared<const OnlyPipeline>(
          Definition{.name = std::string(name),
                     .inputs = std::string(inputs),
                     .outputs = std::string(outputs),
                     .operation = std::string(operation),
                     .preamble = std::move(options.preamble),
                     .loop_prep = std::move(options.loop_prep),
                     .after_loop = std::move(options.after_loop),
                     .options = std::move(options.options),
                     .include_directories = std::move(options.include_directories),
                     .loop = environment("KGEN_LOOP").value_or("")},
          options.reduce_dims)) {
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
