// SPDX-License-Identifier: MIT
//
// RawKernel: a __global__ function in CUDA C++ that is compiled at run time. It is launched as in CUDA, but
// its arguments are checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <kgen/argument.hpp>
#include <kgen/bound_launch.hpp>
#include <kgen/device.hpp>
#include <kgen/export.hpp>
#include <kgen/kernel_attributes.hpp>
#include <kgen/launch_config.hpp>
#include <kgen/raw_argument.hpp>
#include <kgen/raw_module.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

// One parameter of a RawKernel, as far as the compiled code and the source describe it.
struct RawParameter {
    // What the parameter takes: a pointer; a number; another value, such as a struct; a kgen::array. `unknown`
    // if the code does not tell, for example if a cubin without PTX was given.
    enum class Kind : std::uint8_t { unknown, pointer, number, value, array };

    std::string name;             // as in the source; empty if unknown
    std::string type;             // such as "const float*"; empty if unknown
    bool may_be_written = false;  // whether the kernel may write to an array passed here
    bool is_view = false;         // the parameter is a kgen::array; pass raw(x)
    Kind kind = Kind::unknown;
    std::size_t size_bytes = 0;    // size of the parameter itself: 8 for a pointer
    std::size_t alignment = 0;     // of the parameter, in bytes; 0 if unknown
    std::size_t offset_bytes = 0;  // place in the parameter block
    // dtype of a number, or of the elements behind a pointer or in a kgen::array. Empty if the type is unknown, is
    // no dtype (a struct, void), or stands for several dtypes.
    std::optional<DType> dtype = {};
    int rank = 0;  // number of axes of a kgen::array
};

// A kernel written in CUDA C++. A copyable handle; copies share the compiled code. Launching is thread-safe.
//
//     RawKernel saxpy(source_text, "saxpy");
//     saxpy.launch({.grid = {blocks}, .block = {256}}, 2.0f, x, y, z, n);
//
// The source is compiled unchanged. `name` may be an expression such as "axpby<float, 4>", and the kernel
// need not be extern "C". Without a GPU the same source runs on the CPU; features that the CPU does not
// support are rejected before compilation.
class KGEN_EXPORT RawKernel {
public:
    // Compiles nothing yet. Throws CompileError if an option is not allowed.
    RawKernel(std::string_view code, std::string name, RawOptions options = {});

    const std::string& name() const noexcept;
    // Returns the module that the kernel's source is compiled into.
    RawModule module() const;

    // Compiles and loads the kernel now. The first launch then costs as little as later ones and may be
    // captured.
    void prepare(Device device = current_device()) const;

    // Launches the kernel on config.stream. The device is the device of the arrays. Without arrays it is the
    // device of the stream, or current_device() if no stream is given. Throws TypeError (number of arguments,
    // sizes, types, dtypes, numbers out of range), ShapeError (an array that is not C-contiguous, not
    // aligned, on another device, or read-only although the kernel may write to it), CompileError, or
    // DeviceError (limits of the device, a lost device). If it throws, nothing was launched.
    // Parameter types come from the compiled code and, for extern "C" kernels, from the source. If a type is
    // unknown, the parameter accepts any array that is not read-only.
    template <typename... Arguments>
    void launch(const LaunchConfig& config, Arguments&&... arguments) const {
        const std::initializer_list<RawArgument> list = {RawArgument(arguments)...};
        launch_arguments(config, std::span<const RawArgument>(list.begin(), list.size()));
    }
    // Does the same with a list that is built at run time. The overload with Arguments takes arrays, numbers,
    // textures and surfaces; RawArguments can also be raw(x), pointers, structs and bytes.
    void launch_arguments(const LaunchConfig& config, std::span<const RawArgument> arguments) const;
    void launch_arguments(const LaunchConfig& config, std::span<const Argument> arguments) const;

    // Checks the arguments once for many launches: BoundLaunch::launch costs little more than the driver's
    // launch. The BoundLaunch keeps the arrays alive.
    template <typename... Arguments>
    BoundLaunch bind(const LaunchConfig& config, Arguments&&... arguments) const {
        const std::initializer_list<RawArgument> list = {RawArgument(arguments)...};
        return bind_arguments(config, std::span<const RawArgument>(list.begin(), list.size()));
    }
    BoundLaunch bind_arguments(const LaunchConfig& config,
                               std::span<const RawArgument> arguments) const;
    BoundLaunch bind_arguments(const LaunchConfig& config,
                               std::span<const Argument> arguments) const;

    // Returns the parameters in order. Compiles the kernel if necessary.
    std::vector<RawParameter> parameters(Device device = current_device()) const;
    KernelAttributes attributes(Device device = current_device()) const;
    // Sets the limit of dynamic shared memory per block. Launches raise it automatically, so it must be set
    // only if other code queries the kernel's occupancy from the driver.
    void set_max_dynamic_shared_bytes(int bytes, Device device = current_device()) const;
    // Sets the preferred shared memory in percent of its maximum, 0 to 100; -1 leaves the choice to the
    // driver.
    void set_shared_carveout(int percent, Device device = current_device()) const;

    // Returns how many blocks of `block` threads one multiprocessor can hold at once.
    int max_blocks_per_multiprocessor(int block,
                                      std::int64_t shared_bytes = 0,
                                      Device device = current_device()) const;
    [[deprecated("use max_blocks_per_multiprocessor")]] int max_blocks_per_processor(
        int block, std::int64_t shared_bytes = 0, Device device = current_device()) const {
        return max_blocks_per_multiprocessor(block, shared_bytes, device);
    }
    // Returns how many clusters of the configuration the whole device can hold at once; 0 if none fits.
    int max_clusters(const LaunchConfig& config, Device device = current_device()) const;
    // Returns the block size with the highest occupancy, and the grid that reaches it (see SuggestedLaunch).
    // `thread_limit` is the largest block size to consider; 0 means no limit.
    SuggestedLaunch suggested_launch(std::int64_t shared_bytes = 0,
                                     int thread_limit = 0,
                                     Device device = current_device()) const;

    // The source text, and the compiler's log (see RawModule::log).
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
