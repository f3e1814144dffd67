// SPDX-License-Identifier: MIT
//
// RawKernel: a __global__ function of CUDA C++, compiled at run time and launched as in CUDA, with its
// arguments checked.
#pragma once

#include <initializer_list>
#include <kgen/bound_launch.hpp>
#include <kgen/device.hpp>
#include <kgen/export.hpp>
#include <kgen/kernel_attributes.hpp>
#include <kgen/launch_config.hpp>
#include <kgen/raw_argument.hpp>
#include <kgen/raw_module.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

// What is known of one parameter of a RawKernel.
struct RawParameter {
    std::string name;  // in the source; empty where that does not tell
    std::string type;  // "const float*"; empty where neither the code nor the source tells
    bool may_be_written = false;  // whether the kernel may write to an array that is passed
    bool is_view = false;         // a kgen::array, for raw(x)
};

// A copyable handle; copies share the code. Launches from several threads are safe.
//
//     RawKernel saxpy(source_text, "saxpy");
//     saxpy.launch({.grid = {blocks}, .block = {256}}, 2.0f, x, y, z, n);
//
// The source is compiled as it is; `name` may be an expression ("axpby<float, 4>"), and needs no
// extern "C". Without a GPU the same source runs on the CPU where it can; what cannot run there is
// refused before it is compiled.
class KGEN_EXPORT RawKernel {
public:
    // Nothing is compiled yet. Throws CompileError for options that are refused.
    RawKernel(std::string_view code, std::string name, RawOptions options = {});

    const std::string& name() const noexcept;
    RawModule module() const;

    // Compiles and loads now, so that the first launch costs what all cost, and may be captured.
    void prepare(Device device = current_device()) const;

    // Gives the kernel to the stream. The device is that of the arrays, else that of the stream, else
    // current_device(). Throws TypeError (count, sizes, types, dtypes, numbers out of range), ShapeError
    // (an array that is not C-contiguous, not aligned, on another device, or read-only where the
    // kernel may write), CompileError, DeviceError (limits; a lost device); then nothing was launched.
    // Dtypes and what is const are known from the compiled code and, of extern "C" kernels, from the
    // source; a type that neither tells takes any array that may be written.
    template <typename... Arguments>
    void launch(const LaunchConfig& config, Arguments&&... arguments) const {
        const std::initializer_list<RawArgument> list = {RawArgument(arguments)...};
        launch_arguments(config, std::span<const RawArgument>(list.begin(), list.size()));
    }
    void launch_arguments(const LaunchConfig& config, std::span<const RawArgument> arguments) const;

    // Checks once, to launch often: BoundLaunch::launch costs little more than the driver's. The
    // arrays are kept alive.
    template <typename... Arguments>
    BoundLaunch bind(const LaunchConfig& config, Arguments&&... arguments) const {
        const std::initializer_list<RawArgument> list = {RawArgument(arguments)...};
        return bind_arguments(config, std::span<const RawArgument>(list.begin(), list.size()));
    }
    BoundLaunch bind_arguments(const LaunchConfig& config,
                               std::span<const RawArgument> arguments) const;

    // Its parameters in order. Compiles if need be.
    std::vector<RawParameter> parameters(Device device = current_device()) const;
    KernelAttributes attributes(Device device = current_device()) const;
    // Launches raise this limit by themselves; set, it also counts for occupancy of other tools.
    void set_max_dynamic_shared_bytes(int bytes, Device device = current_device()) const;
    // 0 to 100 percent of the L1 as shared memory, -1 for the driver's choice.
    void set_shared_carveout(int percent, Device device = current_device()) const;

    // Blocks of so many threads that one multiprocessor holds at once.
    int max_blocks_per_processor(int block,
                                 std::int64_t shared_bytes = 0,
                                 Device device = current_device()) const;
    // Clusters of the configuration that the whole device holds at once; 0: it does not fit.
    int max_clusters(const LaunchConfig& config, Device device = current_device()) const;
    SuggestedLaunch suggested_launch(std::int64_t shared_bytes = 0,
                                     int thread_limit = 0,
                                     Device device = current_device()) const;

    // The text that is compiled, and the compiler's log (see RawModule::log).
    const std::string& code() const noexcept;
    std::string log(Device device = current_device()) const;

private:
    friend class RawModule;
    struct Impl;  // src/raw/raw_kernel.cpp
    explicit RawKernel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
    static std::shared_ptr<const Impl> make_impl(std::string name,
                                                 std::shared_ptr<RawProgram> program);
    std::shared_ptr<const Impl> impl_;
};

}  // namespace kgen
