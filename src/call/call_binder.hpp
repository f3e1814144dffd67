// SPDX-License-Identifier: MIT
//
// CallBinder: what binding a call of any kind of kernel takes. What the loop runs over and what the
// outputs are like differs: bound_call.cpp and bound_reduction.cpp say it for their kinds.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <kgen/error.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "call/bound_call.hpp"

namespace kgen {

// Used once. All checks throw TypeError or ShapeError.
class CallBinder {
public:
    CallBinder(const Signature& signature, const CallView& call, CallPurpose purpose);
    CallBinder(const CallBinder&) = delete;
    CallBinder& operator=(const CallBinder&) = delete;

protected:
    ~CallBinder() = default;

    // Matches arguments with parameters: fills arrays, device, types and operands of `call_`.
    void bind_arguments();
    // The shape to which these parameters broadcast, that of size(n) if there are none.
    Dims loop_of(const std::vector<std::size_t>& walked) const;
    // An output that is to be allocated must not be raw, whose shape is unknown, nor read before it is written.
    void check_new_output(std::size_t k) const;
    // Arrays that are written must be writable and apart from themselves.
    void check_written() const;

    const Parameter& parameter(std::size_t k) const { return signature_.parameters[k]; }
    std::size_t count() const { return signature_.parameters.size(); }
    std::size_t inputs() const { return static_cast<std::size_t>(signature_.input_count); }
    std::string argument(std::size_t k) const { return describe_argument(signature_, k); }
    // Has an array, or its description.
    bool is_array(std::size_t k) const {
        return call_.arrays[k].has_value() || spec_of(k) != nullptr;
    }
    bool is_walked(std::size_t k) const { return is_array(k) && !parameter(k).raw; }
    std::vector<std::size_t> walked_inputs() const { return walked(0, inputs()); }
    std::vector<std::size_t> walked_outputs() const { return walked(inputs(), count()); }
    // Of the walked inputs: how they walk the loop.
    std::vector<Dims> input_strides() const;

    template <typename Kind, typename... Parts>
    [[noreturn]] void fail(fmt::format_string<Parts...> text, Parts&&... parts) const {
        throw Kind(fmt::format("kernel '{}': ", signature_.name) +
                   fmt::format(text, std::forward<Parts>(parts)...));
    }
    // Says whose the shape is that does not fit.
    template <typename Subject, typename Check>
    void check_fits(Subject subject, Check check) const {
        try {
            check();
        } catch (const ShapeError& error) {
            fail<ShapeError>("{}: {}", subject(), error.what());
        }
    }

    const Signature& signature_;
    std::span<const CallPart> arguments_;
    const CallView& options_;
    CallPurpose purpose_;
    BoundCall call_;

private:
    // The argument of a parameter; nullptr where out() gives it or nothing does.
    const CallPart* given(std::size_t k) const {
        return k < arguments_.size() ? &arguments_[k] : nullptr;
    }
    const ArraySpec* spec_of(std::size_t k) const {
        return given(k) != nullptr ? given(k)->spec() : nullptr;
    }
    DType dtype_of_array(std::size_t k) const {
        return spec_of(k) != nullptr ? spec_of(k)->dtype : call_.arrays[k].dtype();
    }
    std::string names(std::size_t begin, std::size_t end) const;
    std::vector<std::size_t> walked(std::size_t begin, std::size_t end) const;
    void match_arguments();
    void find_device();
    void resolve();
    void make_operands();
    void describe_operand(std::size_t k, Operand& operand) const;
    [[noreturn]] void fail_broadcast(const std::vector<std::size_t>& walked) const;
};

}  // namespace kgen
