// SPDX-License-Identifier: MIT
//
// The exceptions of kgen. All derive from Error. what() names the kernel and the parameter, says what was
// found and what was expected, and suggests a fix if there is one.
#pragma once

#include <kgen/export.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace kgen {

// Base class of kgen's exceptions. Catch it to handle all of them.
class KGEN_EXPORT Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Thrown if the strings that define a kernel cannot be parsed.
class KGEN_EXPORT SignatureError : public Error {
public:
    using Error::Error;
};

// Thrown if the arguments' dtypes or scalar values do not fit the signature.
class KGEN_EXPORT TypeError : public Error {
public:
    using Error::Error;
};

// Thrown if the arguments' shapes, strides, sizes or memory do not fit each other.
class KGEN_EXPORT ShapeError : public Error {
public:
    using Error::Error;
};

// Thrown if a compiler rejects the source. log() is the compiler's output, source() the text that was
// compiled.
class KGEN_EXPORT CompileError : public Error {
public:
    CompileError(const std::string& message, std::string log, std::string source)
        : Error(message), log_(std::move(log)), source_(std::move(source)) {}
    const std::string& log() const noexcept { return log_; }
    const std::string& source() const noexcept { return source_; }

private:
    std::string log_;
    std::string source_;
};

// Thrown if a device, its driver or its compiler is missing or fails. call() is the name of the driver,
// compiler or system function that failed, such as "cuInit"; empty if the error did not come from such a
// function. code() is its error code.
class KGEN_EXPORT DeviceError : public Error {
public:
    explicit DeviceError(const std::string& message, std::string call = {}, int code = 0)
        : Error(message), call_(std::move(call)), code_(code) {}
    const std::string& call() const noexcept { return call_; }
    int code() const noexcept { return code_; }

private:
    std::string call_;
    int code_;
};

// Thrown if a file cannot be read or written, or its contents are not valid for its file type.
class KGEN_EXPORT IoError : public Error {
public:
    using Error::Error;
};

}  // namespace kgen
