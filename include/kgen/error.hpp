// SPDX-License-Identifier: MIT
//
// What kgen throws. One base, a kind per stage that speaks. what() is the whole story: it names the
// kernel and the parameter, both sides (got, expected), and the way out where there is one.
#pragma once

#include <kgen/export.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace kgen {

// Base of every error that a caller can cause or meet. Catch this one.
class KGEN_EXPORT Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The strings that define a kernel do not read.
class KGEN_EXPORT SignatureError : public Error {
public:
    using Error::Error;
};

// The arguments' dtypes or scalar values do not fit the signature.
class KGEN_EXPORT TypeError : public Error {
public:
    using Error::Error;
};

// The arguments' shapes, strides, sizes or memory do not fit each other.
class KGEN_EXPORT ShapeError : public Error {
public:
    using Error::Error;
};

// A compiler refused the source: log() is its own text, source() what it was given.
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

// A device, its driver or its compiler is missing or failed: call() is the function that failed
// (empty if none was called), code() its result.
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

// A file cannot be read or written, or does not hold what its name promises.
class KGEN_EXPORT IoError : public Error {
public:
    using Error::Error;
};

}  // namespace kgen
