// SPDX-License-Identifier: MIT
//
// The exceptions of kgen. All derive from Error, and so does whatever kgen throws, also if memory runs out. What a
// function of the user throws passes through kgen as it is. what() names the kernel and the parameter, says what was
// found and what was expected, and suggests a fix if there is one.
#pragma once

#include <cstdint>
#include <kgen/export.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace kgen {

// Tells errors about an argument, an option or a name apart: what it is that does not fit.
enum class ErrorKind : std::uint8_t {
    other,           // none of the following
    argument_count,  // arguments or outputs are missing, or there are too many
    argument_type,   // another kind of argument: a number for an array, a struct of another size
    dtype,      // a dtype other than the parameter's, or one that contradicts another argument's
    value,      // a number that a dtype cannot represent, or an index out of range
    shape,      // a shape or a number of axes that does not fit or does not broadcast
    layout,     // strides, alignment or overlap of arrays
    read_only,  // a read-only array for a parameter that is written
    device,     // an argument or a stream on another device
    option,     // an option of a call or of the compiler that is not valid or does not apply
    name,       // an unknown name, or one that a kernel cannot have
    syntax,     // a text that defines a kernel and cannot be parsed
};

// The parts of an error's message, for programs that do not want to read the text. A part that does not apply
// is empty.
struct ErrorParts {
    ErrorKind kind = ErrorKind::other;
    // The parameter's name; for a RawKernel the number of the argument, from "1"; for an option its name;
    // for a text that cannot be parsed the text's name, such as "inputs" or "operation".
    std::string parameter = {};
    std::string expected = {};  // "float32", "(2, 3)", "3", "cuda:0"
    std::string got = {};
};

// Base class of kgen's exceptions. Catch it to handle all of them. Copies share their parts, so copying does
// not throw.
class KGEN_EXPORT Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;

    // They are valid as long as any copy of the error.
    const ErrorParts& parts() const noexcept;
    ErrorKind kind() const noexcept { return parts().kind; }
    const std::string& parameter() const noexcept { return parts().parameter; }
    const std::string& expected() const noexcept { return parts().expected; }
    const std::string& got() const noexcept { return parts().got; }

    // For code that throws the error.
    void set_parts(ErrorParts parts) {
        parts_ = std::make_shared<const ErrorParts>(std::move(parts));
    }

private:
    std::shared_ptr<const ErrorParts> parts_;
};

// Returns the name of the enumerator: "argument_count".
KGEN_EXPORT const char* to_text(ErrorKind kind) noexcept;

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

// Thrown if a kernel cannot be launched with the given LaunchConfig: an extent, a number of threads, shared
// memory or a cluster that the kernel or the device does not allow.
class KGEN_EXPORT LaunchError : public DeviceError {
public:
    using DeviceError::DeviceError;
};

// Thrown if a file cannot be read or written, or its contents are not valid for its file type.
class KGEN_EXPORT IoError : public Error {
public:
    using Error::Error;
};

// Thrown if ranks of a Communicator cannot exchange data: a rank is missing, failed, or called another operation, or a
// library (NCCL, MPI) is missing or too old. rank() is the rank that throws, peer() the one that it waited for; -1 if
// unknown. operation() is the operation that failed, such as "allgather".
class KGEN_EXPORT CommunicationError : public Error {
public:
    explicit CommunicationError(const std::string& message,
                                int rank = -1,
                                int peer = -1,
                                std::string operation = {})
        : Error(message), rank_(rank), peer_(peer), operation_(std::move(operation)) {}
    int rank() const noexcept { return rank_; }
    int peer() const noexcept { return peer_; }
    const std::string& operation() const noexcept { return operation_; }

private:
    int rank_;
    int peer_;
    std::string operation_;
};

}  // namespace kgen
