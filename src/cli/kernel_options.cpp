// SPDX-License-Identifier: MIT
#include "cli/kernel_options.hpp"

#include "cli/common_options.hpp"
#include "cli/exit_status.hpp"

namespace kgen::cli {

void add_kernel_options(CLI::App& command, KernelOptions& options) {
    command.add_option("--elementwise", options.elementwise, "the strings of an ElementwiseKernel")
        ->type_name("INPUTS OUTPUTS BODY")
        ->type_size(3)
        ->expected(1)
        ->allow_extra_args(false);
    command
        .add_option("arguments",
                    options.arguments,
                    "the parameters by name, in any order: 5 is int64, 5.0 float64, true bool, "
                    "1+2j complex128, x.npy a file")
        ->type_name("NAME=VALUE");
    command.add_option("--name", options.name, "the kernel's name")->type_name("NAME");
    command.add_option("--preamble", options.preamble, "code before the kernel")->type_name("CODE");
    command.add_option("--loop-prep", options.loop_prep, "code before each thread's elements")
        ->type_name("CODE");
    command.add_option("--after-loop", options.after_loop, "code after each thread's elements")
        ->type_name("CODE");
    command
        .add_option("--option", options.compiler_options, "an option for the compiler; repeatable")
        ->type_name("OPTION")
        ->allow_extra_args(false);
    command.add_flag("--keep-axes", options.keep_axes, "do not merge axes (reduce_dims::no)");
    command.add_option("--size", options.size, "the number of elements, where all arrays are raw")
        ->type_name("N")
        ->check(check_integer);
    command.add_option("--block-size", options.block_size, "threads of a block (CUDA)")
        ->type_name("N")
        ->check(check_integer);
    command
        .add_option("--dtype",
                    options.dtypes,
                    "the dtype of a file that does not say it (bfloat16); repeatable")
        ->type_name("NAME=DTYPE")
        ->allow_extra_args(false);
}

ElementwiseKernel make_kernel(const KernelOptions& options) {
    if (options.elementwise.empty()) {
        throw UsageError("the kernel is missing; give --elementwise INPUTS OUTPUTS BODY");
    }
    return ElementwiseKernel(options.elementwise[0],
                             options.elementwise[1],
                             options.elementwise[2],
                             options.name,
                             {.preamble = options.preamble,
                              .options = options.compiler_options,
                              .loop_prep = options.loop_prep,
                              .after_loop = options.after_loop,
                              .reduce_dims = options.keep_axes ? ReduceDims::no : ReduceDims::yes});
}

CallOptions make_call_options(const KernelOptions& options, std::optional<Device> device) {
    CallOptions call;
    call.size = options.size;
    call.block_size = options.block_size;
    call.device = device;
    return call;
}

}  // namespace kgen::cli
