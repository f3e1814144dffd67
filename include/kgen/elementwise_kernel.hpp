// SPDX-License-Identifier: MIT
//
// ElementwiseKernel: an element-by-element computation defined by strings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <kgen/argument.hpp>
#include <kgen/explanation.hpp>
#include <kgen/export.hpp>
#include <kgen/stream.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

// Whether the loop merges adjacent axes where it can; results are the same. For CuPy's sake.
enum class ReduceDims : std::uint8_t { yes, no };

// What a kernel's definition may hold beside its parameters and body. Text is C++ for the device.
struct ElementwiseOptions {
    std::string preamble = {};              // before the kernel: functions, macros, types
    std::vector<std::string> options = {};  // for the compiler: "-DNAME=1", "--use_fast_math"
    std::string loop_prep = {};             // once per thread, before its elements
    std::string after_loop = {};            // once per thread, after its elements
    ReduceDims reduce_dims = ReduceDims::yes;
};

// How one call differs from the default.
struct CallOptions {
    std::vector<Array> outputs = {};        // given outputs, all of them or none
    std::optional<std::int64_t> size = {};  // the number of elements, where all arrays are raw
    std::optional<Stream> stream = {};      // current_stream() of the arrays' device
    std::optional<int> block_size = {};     // threads of a block (CUDA)
    std::optional<Device> device = {};      // where no array says it: current_device()
};

// Markers among the arguments of operator(): they set the call's options.
struct OutputArgument {
    Array array;
};
struct StreamArgument {
    Stream stream;
};
struct SizeArgument {
    std::int64_t size;
};
struct BlockSizeArgument {
    int block_size;
};
inline OutputArgument out(Array array) {
    return {std::move(array)};
}
inline StreamArgument on(Stream stream) {
    return {std::move(stream)};
}
inline SizeArgument size(std::int64_t count) {
    return {count};
}
inline BlockSizeArgument block_size(int threads) {
    return {threads};
}

// Computes each element of its outputs from the matching elements of its inputs, which broadcast
// against each other.
//
//     ElementwiseKernel axpy("T a, T x, T y", "T z", "z = a * x + y", "axpy");
//     Array z = axpy(2.0, x, y);
//     axpy(2.0, x, y, out(z));
//
// Parameters are written `[raw] [const|_non_const] TYPE NAME`. TYPE is a dtype name or one letter, a
// placeholder that takes the dtype of its argument. `raw` parameters are indexed by hand. The body
// sees `i` (the C-order index of the element), `n` (their number) and `_ind` (the indices).
//
// Copies share the compiled kernels. Calls from several threads are safe; the first call for a
// combination of dtypes and layouts compiles or reads the cache, later ones only launch. On CUDA a
// call returns before the kernel has run; on the host it is complete on return.
class KGEN_EXPORT ElementwiseKernel {
public:
    // Throws SignatureError if the strings do not read; nothing is compiled yet.
    ElementwiseKernel(std::string_view inputs,
                      std::string_view outputs,
                      std::string_view operation,
                      std::string_view name = "kernel",
                      ElementwiseOptions options = {});

    const std::string& name() const noexcept;
    int input_count() const noexcept;
    int output_count() const noexcept;
    // The inputs, then the outputs.
    std::vector<std::string> parameter_names() const;

    // Runs the kernel and returns its outputs, given or new. `arguments` are the inputs, or the
    // inputs and then the outputs. New outputs follow the memory order of the inputs.
    // Throws TypeError, ShapeError, CompileError, DeviceError; then nothing was launched or written.
    std::vector<Array> call(std::span<const Argument> arguments, const CallOptions& = {}) const;

    // The same with arguments written bare; returns the output of a kernel that has one, an empty
    // Array if it has none. Throws TypeError if it has several: see outputs().
    template <typename... Arguments>
    Array operator()(Arguments&&... arguments) const {
        check_single_output();
        auto results = call_bare(std::forward<Arguments>(arguments)...);
        return results.empty() ? Array() : std::move(results.front());
    }

    // auto [lo, hi] = split.outputs<2>(x);  Throws TypeError if the kernel has not `count` outputs.
    template <std::size_t count, typename... Arguments>
    std::array<Array, count> outputs(Arguments&&... arguments) const {
        check_output_count(count);
        auto results = call_bare(std::forward<Arguments>(arguments)...);
        std::array<Array, count> list;
        for (std::size_t k = 0; k < count; ++k) list[k] = std::move(results[k]);
        return list;
    }

    // Every stage's artifact of a call with these arguments, which may be ArraySpecs; nothing is
    // compiled, launched or allocated on a device.
    Explanation explain(std::span<const Argument> arguments,
                        const CallOptions& = {},
                        const TargetOptions& = {}) const;

private:
    struct Impl;
    struct Call {
        std::vector<Argument> arguments;
        CallOptions options;
    };
    template <typename... Arguments>
    std::vector<Array> call_bare(Arguments&&... arguments) const {
        Call bare;
        bare.arguments.reserve(sizeof...(arguments));
        (add(bare, std::forward<Arguments>(arguments)), ...);
        return call(bare.arguments, bare.options);
    }
    static void add(Call& bare, Argument argument) {
        bare.arguments.push_back(std::move(argument));
    }
    static void add(Call& bare, OutputArgument argument) {
        bare.options.outputs.push_back(std::move(argument.array));
    }
    static void add(Call& bare, StreamArgument argument) {
        bare.options.stream = std::move(argument.stream);
    }
    static void add(Call& bare, SizeArgument argument) { bare.options.size = argument.size; }
    static void add(Call& bare, BlockSizeArgument argument) {
        bare.options.block_size = argument.block_size;
    }
    void check_single_output() const;
    void check_output_count(std::size_t count) const;

    std::shared_ptr<const Impl> impl_;
};

}  // namespace kgen
