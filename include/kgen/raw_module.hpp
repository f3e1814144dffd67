// SPDX-License-Identifier: MIT
//
// RawModule: a user's CUDA C++ program with several kernels and variables, compiled at run time.
#pragma once

#include <cstddef>
#include <kgen/array.hpp>
#include <kgen/device.hpp>
#include <kgen/export.hpp>
#include <kgen/raw_options.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kgen {

class RawKernel;
class RawProgram;  // src/raw/raw_program.hpp

// A __device__ or __constant__ variable of a module on one device. It keeps the module loaded.
class KGEN_EXPORT GlobalVariable {
public:
    std::size_t size_bytes() const noexcept { return size_bytes_; }
    void* data() const noexcept { return data_; }  // address on the device
    // Returns an array of `dtype` that shares the variable's memory. It is 1-D unless a shape is given.
    // Throws ShapeError if the sizes in bytes differ.
    Array array(DType dtype, const std::optional<Dims>& shape = {}) const;

    // Copy the value from or to the device in the order of current_stream(), and wait for the copy. Throw
    // TypeError if the size of T differs from that of the variable.
    template <typename T>
    T read() const {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        read_bytes(&value, sizeof(T));
        return value;
    }
    template <typename T>
    void write(const T& value) const {
        static_assert(std::is_trivially_copyable_v<T>);
        write_bytes(&value, sizeof(T));
    }
    void read_bytes(void* destination, std::size_t bytes) const;
    void write_bytes(const void* source, std::size_t bytes) const;

private:
    friend class RawProgram;
    GlobalVariable(std::string name,
                   Device device,
                   void* data,
                   std::size_t bytes,
                   std::shared_ptr<const void> owner)
        : name_(std::move(name)),
          device_(device),
          data_(data),
          size_bytes_(bytes),
          owner_(std::move(owner)) {}
    void check_size(std::size_t bytes) const;

    std::string name_;  // "module 'filters.cu': variable 'scale'"
    Device device_;
    void* data_;
    std::size_t size_bytes_;
    std::shared_ptr<const void> owner_;
};

// A program in CUDA C++. A copyable handle; thread-safe. It is compiled for a device by prepare() or on first
// use there. The disk cache keeps the compiled code and the names of the kernels.
class KGEN_EXPORT RawModule {
public:
    // Compiles nothing yet. Throws CompileError if an option is not allowed, or unless exactly one of code,
    // file and sources is given; IoError if the file cannot be read or is damaged.
    explicit RawModule(std::string_view code, RawModuleOptions options = {});
    explicit RawModule(RawModuleOptions options);

    // Returns the kernel with this name, or with one of the expressions in RawModuleOptions::names. Throws
    // CompileError if the module cannot have such a kernel. Other unknown names throw on first use.
    RawKernel kernel(std::string name) const;
    // Returns a __device__ or __constant__ variable. Throws CompileError if there is none of this name.
    GlobalVariable global(const std::string& name, Device device = current_device()) const;

    // Compiles and loads the module now. Throws CompileError and DeviceError.
    void prepare(Device device = current_device()) const;
    // Returns the C++ names of all kernels. Compiles the module if necessary.
    std::vector<std::string> kernel_names(Device device = current_device()) const;
    // Returns the compiler's output, including warnings. If the code came from the cache, the output is that of
    // the compile that made the entry. Empty for a file of compiled code, and for entries of kgen that did not
    // store it.
    std::string log(Device device = current_device()) const;
    // The first source, unchanged; empty for files of compiled code.
    const std::string& code() const noexcept;

private:
    friend class RawKernel;
    explicit RawModule(std::shared_ptr<RawProgram> program) : program_(std::move(program)) {}
    std::shared_ptr<RawProgram> program_;
};

}  // namespace kgen
