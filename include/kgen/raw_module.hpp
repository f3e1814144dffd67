// SPDX-License-Identifier: MIT
//
// RawModule: a CUDA C++ program of the user's own, compiled at run time: its kernels and its
// variables.
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

// A __device__ or __constant__ variable of a module on one device. Keeps the module alive.
class KGEN_EXPORT GlobalVariable {
public:
    std::size_t size_bytes() const noexcept { return size_bytes_; }
    void* data() const noexcept { return data_; }  // on the device
    // The variable as an array of `dtype` elements that shares its memory; 1-D unless a shape is
    // given. Throws ShapeError if the bytes do not fit.
    Array array(DType dtype, const std::optional<Dims>& shape = {}) const;

    // Throw TypeError if T has another size than the variable. They follow the order of
    // current_stream(), and wait.
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

// A copyable handle; thread safe. Compiled for a device when something of it is first used there, or
// by prepare(); kept in the disk cache with the names of its kernels.
class KGEN_EXPORT RawModule {
public:
    // Throws CompileError for options that are refused and for code, file and sources given together
    // or none of them, IoError for a file that cannot be read or is damaged. Nothing is compiled yet.
    explicit RawModule(std::string_view code, RawModuleOptions options = {});
    explicit RawModule(RawModuleOptions options);

    // A kernel by its name or by one of the expressions in RawModuleOptions::names. Names that
    // cannot be there are refused at once (CompileError), others by the first use.
    RawKernel kernel(std::string name) const;
    // A __device__ or __constant__ variable. Throws CompileError if the module has none of that name.
    GlobalVariable global(const std::string& name, Device device = current_device()) const;

    // Compiles and loads now. Throws CompileError and DeviceError.
    void prepare(Device device = current_device()) const;
    // The names of all kernels, as a C++ programmer writes them. Compiles if need be.
    std::vector<std::string> kernel_names(Device device = current_device()) const;
    // What the compiler said: warnings too; empty if the code came from the cache or a file.
    std::string log(Device device = current_device()) const;
    // The first source as it was given; empty for files of compiled code.
    const std::string& code() const noexcept;

private:
    friend class RawKernel;
    explicit RawModule(std::shared_ptr<RawProgram> program) : program_(std::move(program)) {}
    std::shared_ptr<RawProgram> program_;
};

}  // namespace kgen
