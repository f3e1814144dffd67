// SPDX-License-Identifier: MIT
//
// Tape: the operations of an expression in postfix order, with the arrays and numbers that they use. Building an
// expression appends to a tape; tapes are kept by their thread for the next statement, so that building allocates
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/call_options.hpp>
#include <kgen/expression.hpp>
#include <kgen/scalar.hpp>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kgen {

// The words of a tape's code. An array or a number is one word; the arrays and numbers follow in the order of their
// words. A function's word is first_function plus its number. Behind a reduction's word stands one with the number of
// axes (all_axes for all) and keepdims_bit, and the axes. Behind the word of a cast or a shape stands the dtype.
namespace tape_word {

inline constexpr std::uint16_t array = 0;
inline constexpr std::uint16_t boolean = 1;  // numbers, by their kind
inline constexpr std::uint16_t integer = 2;
inline constexpr std::uint16_t real = 3;
inline constexpr std::uint16_t complex = 4;
inline constexpr std::uint16_t cast = 5;            // any conversion
inline constexpr std::uint16_t same_kind_cast = 6;  // those of NumPy's casting="same_kind"
inline constexpr std::uint16_t shape = 7;
inline constexpr std::uint16_t first_function = 8;

inline constexpr std::uint16_t all_axes = 0xff;
inline constexpr std::uint16_t keepdims_bit = 0x100;

}  // namespace tape_word

namespace detail {

// What a draw of random numbers has instead of an array. Arrays of the expression, if there are any, decide the device.
struct DrawnShape {
    Dims shape;
    std::optional<Device> device;
};

struct Tape {
    std::vector<std::uint16_t> code;
    std::vector<Array> arrays;         // each view once
    std::vector<std::uint16_t> slots;  // the place in `arrays` of each array of the code
    // A number or a shape of a Value stands here once, however often an expression uses the Value, so that what is
    // computed from it is computed once. Others stand here as often as the code names them.
    std::vector<Scalar> numbers;
    std::vector<DrawnShape> shapes;
    std::vector<std::uint16_t> number_slots, shape_slots;  // the places of those of the code
    std::vector<std::uint64_t> number_names,
        shape_names;                 // of those of Values, unique in the process; 0 for others
    bool has_plain_numbers = false;  // other than constant(v)
    bool has_stand_ins = false;      // arrays that stand for sharded ones
    bool has_own_arrays = false;     // other arrays

    // For its evaluation; kept here because their memory is reused.
    std::vector<Array> results;  // of the kernels before the last
    std::vector<CallPart> parts;

    void append(const OperandView& operand);
    void append(const Tape& other);
    void append_axes(const ReductionAxes& axes);
    void append_number(const Scalar& number, std::uint64_t name = 0);
    void append_shape(const DrawnShape& shape, std::uint64_t name = 0);
    // Names the numbers and shapes, if the tape computes something.
    void name_operands();
    // Exchanges what the expressions are made of, but not what their evaluations keep.
    void swap_expression(Tape& other) noexcept;
    void clear() noexcept;

private:
    void append_array(const Array& array);
};

}  // namespace detail

// Returns an empty tape, which belongs to the caller until keep_tape().
detail::Tape* take_tape();
void keep_tape(detail::Tape* tape) noexcept;

// Owns a tape until the end of a scope.
class TapeHolder {
public:
    TapeHolder() : tape_(take_tape()) {}
    explicit TapeHolder(detail::Tape* tape) noexcept : tape_(tape) {}
    TapeHolder(const TapeHolder&) = delete;
    TapeHolder& operator=(const TapeHolder&) = delete;
    ~TapeHolder() {
        if (tape_ != nullptr) keep_tape(tape_);
    }

    detail::Tape& operator*() const noexcept { return *tape_; }
    detail::Tape* operator->() const noexcept { return tape_; }
    detail::Tape* release() noexcept { return std::exchange(tape_, nullptr); }

private:
    detail::Tape* tape_;
};

// Access to the tape of an expression.
struct detail::ExpressionAccess {
    static Expression make(TapeHolder&& tape) noexcept { return Expression(tape.release()); }
    // Takes the tape from the expression. Throws Error if it has none.
    static Tape* take(Expression& expression);
    static const Tape& tape(const Expression& expression);
    static Value value(std::shared_ptr<const Tape> tape) { return Value(std::move(tape)); }
};

}  // namespace kgen
