// SPDX-License-Identifier: MIT
//
// kgen run: runs a kernel on files and numbers, and writes files and text.
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/expression_run.hpp"
#include "cli/kernel_arguments.hpp"
#include "cli/output_place.hpp"
#include "cli/raw_run.hpp"
#include "cli/split_run.hpp"

namespace kgen::cli {

namespace {

Outcome call_kernel(const GeneratedKernel& kernel,
                    const std::vector<Argument>& arguments,
                    const CallOptions& options,
                    bool time) {
    const Device device = *options.device;
    Outcome outcome;
    outcome.timing.first_ms =
        time_call([&] { outcome.outputs = kernel.call(arguments, options); }, device);
    if (!time) return outcome;
    const bool given = arguments.size() > parameters_of(kernel).input_count;
    if (given) {  // the next calls write to them again
        for (Array& output : outcome.outputs) output = output.copy();
    }
    time_later_calls(
        outcome.timing, [&] { kernel.call(arguments, options); }, device);
    return outcome;
}

ExitStatus run(const RunOptions& options) {
    check_raw_options(options.raw, options.kernel);
    const std::optional<Communicator> ranks = open_ranks(options);
    if (options.raw.is_given()) return run_raw(options);
    if (options.kernel.expression) return run_expression(options, ranks);
    const GeneratedKernel kernel = make_kernel(options.kernel);
    const Parameters parameters = parameters_of(kernel);
    const auto ordered = order_arguments(parameters, call_arguments(options.kernel), Use::run);
    const auto places = read_output_places(parameters, options.outputs);
    if (const auto device = options.common.chosen_device()) set_current_device(*device);
    const Device device = ranks ? ranks->device(0) : current_device();
    const auto arguments = load_arguments(
        parameters, ordered, options.kernel.dtypes, Use::run, ranks ? Device::host() : device);
    const CallOptions call_options = make_call_options(options.kernel, device);
    const Outcome outcome = ranks
                                ? call_split(kernel, arguments, call_options, *ranks, options.time)
                                : call_kernel(kernel, arguments, call_options, options.time);

    write_run({.kernel = parameters.kernel,
               .device = device,
               .places = places,
               .outputs = outcome.outputs,
               .timing = options.time ? std::optional(outcome.timing) : std::nullopt,
               .devices = devices_of(ranks)},
              options.common);
    return ExitStatus::done;
}

}  // namespace

Command add_run_command(CLI::App& app) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* command = app.add_subcommand("run", "run a kernel on files of arrays and numbers");
    add_kernel_options(*command, options->kernel);
    add_raw_options(*command, options->raw);
    command
        ->add_option(
            "--out", options->outputs, "write an output to a file; others are printed; repeatable")
        ->type_name("NAME=FILE.npy|.npz")
        ->allow_extra_args(false);
    command->add_flag(
        "--time", options->time, "print the time of the first call and of later ones to stderr");
    command
        ->add_option("--devices",
                     options->devices,
                     "split the arrays along their first axis over several devices, such as "
                     "cuda:0,cuda:1 or 0,1, or all GPUs; results are gathered")
        ->type_name("all|DEVICE,...")
        ->check(check_devices);
    add_common_options(*command, options->common);
    command->footer(
        "kgen run --elementwise 'T x, T y' 'T z' 'z = (x - y) * (x - y)' x=x.npy y=5 --out "
        "z=z.npy\n"
        "kgen run --reduce 'T x' 'T y' 'x * x' 'a + b' 'y = sqrt(a)' 0 x=x.npy --axis -1\n"
        "kgen run l2norm x=x.npy --axis 1 --out y=y.npy\n"
        "kgen run --expression 'sqrt(x * x + y).sum(axis=1)' x=x.npy y=2 --out z=z.npy\n"
        "kgen run --raw saxpy.cu --kernel saxpy --grid 4 --block 256 a=2.0 x=x.npy y=float32[1000] "
        "n=1000\n"
        "kgen run subtract x=data.npz y=data.npz:mean --dtype x=float32 --out z=out.npz:centered\n"
        "kgen run --expression 'x - x.mean(axis=0)' x=x.npy --devices all --out z=z.npy\n"
        "x=data.npz is the array called x of the file, as numpy.savez writes it. --out replaces "
        "the file.\n"
        "An output NAME=FILE among the arguments is read first: the body may change it in "
        "place.\n"
        "--devices splits the arrays that have the most axes, unless their first extent is 1. Each "
        "device has all of\n"
        "the others and of raw ones. A device may be named several times.");
    return {command, [options] { return run(*options); }};
}

}  // namespace kgen::cli
