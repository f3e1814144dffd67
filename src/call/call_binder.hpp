// SPDX-License-Identifier: MIT
//
// CallBinder: the parts of binding a call that all kinds of kernels share. bound_call.cpp and
// bound_reduction.cpp add the shape of the loop and of the outputs for their kind.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <kgen/error.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "call/bound_call.hpp"
#include "text/error_parts.hpp"

namespace kgen {

// For one call. All checks throw TypeError or ShapeError.
class CallBinder {
public:
    // `bound`, which receives the call, must be empty.
    CallBinder(const Signature& signature,
               const CallView& call,
               CallPurpose purpose,
               BoundCall& bound);
    CallBinder(const CallBinder&) = delete;
    CallBinder& operator=(const CallBinder&) = delete;

protected:
    ~CallBinder() = default;

    // Matches arguments with parameters. Sets arrays, device, types and operands of `call_`.
    void bind_arguments();
    // Returns the shape to which these parameters broadcast; (n) from size(n) if there are none.
    Dims loop_of(const PerParameter<std::size_t>& walked) const;
    // Whether the call determines the shape of a new raw output: in an elementwise call, size(n) does.
    enum class NewShape : std::uint8_t { known, unknown };
    // Checks that a new output has a shape and is not read before it is written.
    void check_new_output(std::size_t k, NewShape of_raw) const;
    // Checks that written arrays are writable and that their elements do not overlap.
    void check_written() const;

    const Parameter& parameter(std::size_t k) const { return signature_.parameters[k]; }
    std::size_t count() const { return signature_.parameters.size(); }
    std::size_t inputs() const { return static_cast<std::size_t>(signature_.input_count); }
    std::string argument(std::size_t k) const { return describe_argument(signature_, k); }
    // Whether the argument is an array or an ArraySpec.
    bool is_array(std::size_t k) const {
        return call_.arrays[k] != nullptr || spec_of(k) != nullptr;
    }
    // Whether the loop walks the argument: an array that is not raw.
    bool is_walked(std::size_t k) const { return is_array(k) && !parameter(k).raw; }
    PerParameter<std::size_t> walked_inputs() const { return walked(0, inputs()); }
    PerParameter<std::size_t> walked_outputs() const { return walked(inputs(), count()); }
    // Returns the strides with which each walked input walks the loop.
    StrideRows input_strides() const;

    // Throws an error that names the kernel and has its parts as fields.
    template <typename Kind, typename... Parts>
    [[noreturn]] void refuse(ErrorParts fields,
                             fmt::format_string<Parts...> text,
                             Parts&&... parts) const {
        kgen::refuse<Kind>(std::move(fields),
                           "kernel '{}': {}",
                           signature_.name,
                           fmt::format(text, std::forward<Parts>(parts)...));
    }
    // Runs check(). If it throws ShapeError, puts the subject before the message.
    template <typename Subject, typename Check>
    void check_fits(Subject subject, Check check) const {
        try {
            check();
        } catch (const ShapeError& error) {
            refuse<ShapeError>({ErrorKind::shape}, "{}: {}", subject(), error.what());
        }
    }

    const Signature& signature_;
    std::span<const CallPart> arguments_;
    const CallView& options_;
    CallPurpose purpose_;
    BoundCall& call_;

private:
    // Returns the positional argument of a parameter; nullptr if it comes from out() or is missing.
    const CallPart* given(std::size_t k) const {
        return k < arguments_.size() ? &arguments_[k] : nullptr;
    }
    const ArraySpec* spec_of(std::size_t k) const {
        return given(k) != nullptr ? given(k)->spec() : nullptr;
    }
    DType dtype_of_array(std::size_t k) const {
        return spec_of(k) != nullptr ? spec_of(k)->dtype : call_.arrays[k]->dtype();
    }
    std::string names(std::size_t begin, std::size_t end) const;
    PerParameter<std::size_t> walked(std::size_t begin, std::size_t end) const;
    void match_arguments();
    void find_device();
    void resolve();
    void make_operands();
    void describe_operand(std::size_t k, Operand& operand) const;
    [[noreturn]] void fail_broadcast(const PerParameter<std::size_t>& walked) const;
};

}  // namespace kgen
