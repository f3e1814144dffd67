// SPDX-License-Identifier: MIT
#include <kgen/reduction_kernel.hpp>

#include "call/pipeline_choice.hpp"
#include "text/environment.hpp"
#include "text/rethrow.hpp"

namespace kgen {

ReductionKernel::ReductionKernel(std::string_view inputs,
                                 std::string_view outputs,
                                 std::string_view map,
                                 std::string_view reduce,
                                 std::string_view post_map,
                                 std::string_view identity,
                                 std::string_view name,
                                 ReductionOptions options) try
    : GeneratedKernel(std::make_shared<const OnlyPipeline>(
          Definition{.name = std::string(name),
                     .inputs = std::string(inputs),
                     .outputs = std::string(outputs),
                     .operation = std::string(map),
                     .preamble = std::move(options.preamble),
                     .loop_prep = {},
                     .after_loop = {},
                     .options = std::move(options.options),
                     .include_directories = std::move(options.include_directories),
                     .reduction = ReductionTexts{.reduce = std::string(reduce),
                                                 .post_map = std::string(post_map),
                                                 .identity = std::string(identity),
                                                 .reduce_type = std::move(options.reduce_type),
                                                 .accuracy = options.accuracy},
                     .loop = environment("KGEN_LOOP").value_or("")},
          options.reduce_dims)) {
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
