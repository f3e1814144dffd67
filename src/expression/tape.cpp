// SPDX-License-Identifier: MIT
#include "expression/tape.hpp"

#include <algorithm>
#include <atomic>
#include <kgen/error.hpp>
#include <kgen/math.hpp>
#include <memory>
#include <optional>
#include <utility>

namespace kgen {

namespace {

std::uint16_t word_of(const Scalar& number) noexcept {
    switch (kind_of(number.dtype())) {
        case DTypeKind::boolean:
            return tape_word::boolean;
        case DTypeKind::signed_integer:
        case DTypeKind::unsigned_integer:
            return tape_word::integer;
        case DTypeKind::real:
            return tape_word::real;
        case DTypeKind::complex:
            break;
    }
    return tape_word::complex;
}

// Whether two arrays are the same view, so that one load serves both.
bool is_same_view(const Array& a, const Array& b) noexcept {
    return a.data() == b.data() && a.dtype() == b.dtype() && a.shape() == b.shape() &&
           a.strides() == b.strides() && a.storage() == b.storage();
}

// Appends the place of a value with this name: of one that is there, or else of a new one. Only a name of 0 has several.
template <typename T>
void append_named(const T& value,
                  std::uint64_t name,
                  std::vector<T>& values,
                  std::vector<std::uint64_t>& names,
                  std::vector<std::uint16_t>& slots) {
    const auto there = name == 0 ? names.end() : std::find(names.begin(), names.end(), name);
    slots.push_back(static_cast<std::uint16_t>(there - names.begin()));
    if (there != names.end()) return;
    values.push_back(value);
    names.push_back(name);
}

// The tapes that a thread keeps. Statements rarely need more at once.
class KeptTapes {
public:
    ~KeptTapes() { is_gone = true; }

    static KeptTapes* of_this_thread() noexcept {
        // A static destructor may compute expressions after the thread's objects are gone.
        if (is_gone) return nullptr;
        thread_local KeptTapes kept;
        return &kept;
    }
    detail::Tape* take() noexcept { return count_ > 0 ? tapes_[--count_].release() : nullptr; }
    bool keep(std::unique_ptr<detail::Tape>& tape) noexcept {
        if (count_ == most) return false;
        tapes_[count_++] = std::move(tape);
        return true;
    }

private:
    static constexpr std::size_t most = 8;
    static inline thread_local bool is_gone = false;
    std::unique_ptr<detail::Tape> tapes_[most];
    std::size_t count_ = 0;
};

}  // namespace

detail::Tape* take_tape() {
    KeptTapes* kept = KeptTapes::of_this_thread();
    detail::Tape* tape = kept != nullptr ? kept->take() : nullptr;
    return tape != nullptr ? tape : new detail::Tape;
}

void keep_tape(detail::Tape* tape) noexcept {
    std::unique_ptr<detail::Tape> owner(tape);
    // The arrays are freed here, even if the tape is kept.
    owner->clear();
    if (KeptTapes* kept = KeptTapes::of_this_thread()) kept->keep(owner);
}

namespace detail {

void Tape::append(const OperandView& operand) {
    if (const Array* array = operand.array()) {
        code.push_back(tape_word::array);
        append_array(*array);
        (operand.is_sharded() ? has_stand_ins : has_own_arrays) = true;
    } else if (Expression* expression = operand.expression()) {
        const TapeHolder other(ExpressionAccess::take(*expression));
        if (code.empty()) return swap_expression(*other);
        append(*other);
    } else if (operand.tape() != nullptr) {
        append(*operand.tape());
    } else {
        code.push_back(word_of(operand.number()));
        append_number(operand.number());
        has_plain_numbers |= !operand.is_constant();
    }
}

void Tape::append(const Tape& other) {
    code.insert(code.end(), other.code.begin(), other.code.end());
    for (const std::uint16_t slot : other.slots) append_array(other.arrays[slot]);
    for (const std::uint16_t slot : other.number_slots)
        append_number(other.numbers[slot], other.number_names[slot]);
    for (const std::uint16_t slot : other.shape_slots)
        append_shape(other.shapes[slot], other.shape_names[slot]);
    has_plain_numbers |= other.has_plain_numbers;
    has_stand_ins |= other.has_stand_ins;
    has_own_arrays |= other.has_own_arrays;
}

void Tape::append_array(const Array& array) {
    std::size_t slot = 0;
    while (slot < arrays.size() && !is_same_view(arrays[slot], array)) ++slot;
    slots.push_back(static_cast<std::uint16_t>(slot));
    if (slot == arrays.size()) arrays.push_back(array);
}

void Tape::append_number(const Scalar& number, std::uint64_t name) {
    append_named(number, name, numbers, number_names, number_slots);
}

void Tape::append_shape(const DrawnShape& shape, std::uint64_t name) {
    append_named(shape, name, shapes, shape_names, shape_slots);
}

void Tape::name_operands() {
    // A number alone has no dtype: each use of it is a number of its own.
    if (code.size() <= 1) return;
    static std::atomic<std::uint64_t> last_name = 0;
    for (std::vector<std::uint64_t>* names : {&number_names, &shape_names}) {
        for (std::uint64_t& each : *names)
            if (each == 0) each = last_name.fetch_add(1, std::memory_order_relaxed) + 1;
    }
}

void Tape::swap_expression(Tape& other) noexcept {
    code.swap(other.code);
    arrays.swap(other.arrays);
    slots.swap(other.slots);
    numbers.swap(other.numbers);
    shapes.swap(other.shapes);
    number_slots.swap(other.number_slots);
    shape_slots.swap(other.shape_slots);
    number_names.swap(other.number_names);
    shape_names.swap(other.shape_names);
    std::swap(has_plain_numbers, other.has_plain_numbers);
    std::swap(has_stand_ins, other.has_stand_ins);
    std::swap(has_own_arrays, other.has_own_arrays);
}

void Tape::append_axes(const ReductionAxes& axes) {
    std::uint16_t head = axes.keepdims ? tape_word::keepdims_bit : 0;
    if (axes.axes == nullptr) {
        code.push_back(head | tape_word::all_axes);
        return;
    }
    const std::span<const int> list = axes.axes->axes();
    head |= static_cast<std::uint16_t>(list.size());
    code.push_back(head);
    for (const int axis : list) {
        // No array has so many axes; the call says so.
        const int near = std::max(std::min(axis, 1000), -1000);
        code.push_back(static_cast<std::uint16_t>(static_cast<std::int16_t>(near)));
    }
}

void Tape::clear() noexcept {
    code.clear();
    arrays.clear();
    numbers.clear();
    shapes.clear();
    slots.clear();
    number_slots.clear();
    shape_slots.clear();
    number_names.clear();
    shape_names.clear();
    has_plain_numbers = has_stand_ins = has_own_arrays = false;
    results.clear();
    parts.clear();
}

Tape* ExpressionAccess::take(Expression& expression) {
    if (expression.tape_ == nullptr) tape(expression);
    return std::exchange(expression.tape_, nullptr);
}

const Tape& ExpressionAccess::tape(const Expression& expression) {
    if (expression.tape_ != nullptr) return *expression.tape_;
    throw Error("an expression was used that was computed or moved from before");
}

}  // namespace detail

void Expression::release() noexcept {
    keep_tape(tape_);
}

namespace {

// Returns a function of x alone that is power(x, exponent), or nothing. Takes a real exponent only beside an array that
// is known to be floating point, because power() of integers and a real exponent is float64.
std::optional<detail::Function> simple_power(const detail::OperandView& x, const Scalar& exponent) {
    const DTypeKind kind = kind_of(exponent.dtype());
    if (kind == DTypeKind::signed_integer && exponent.signed_value() == 2)
        return detail::Function::square;
    if (kind != DTypeKind::real || x.array() == nullptr) return std::nullopt;
    const DTypeKind base = kind_of(x.array()->dtype());
    if (base != DTypeKind::real && base != DTypeKind::complex) return std::nullopt;
    if (exponent.real_value() == 2) return detail::Function::square;
    if (exponent.real_value() == 0.5) return detail::Function::sqrt;
    if (exponent.real_value() == -1) return detail::Function::reciprocal;
    return std::nullopt;
}

}  // namespace

Expression detail::apply_list(Function function, std::span<const OperandView> operands) {
    if (function == Function::power && operands[1].is_number()) {
        if (const auto simple = simple_power(operands[0], operands[1].number())) {
            function = *simple;
            operands = operands.first(1);
        }
    }
    // The first operand's tape goes on, so a chain is built in one.
    Expression* first = operands[0].expression();
    TapeHolder tape(first != nullptr ? ExpressionAccess::take(*first) : take_tape());
    for (const OperandView& each : operands.subspan(first != nullptr ? 1 : 0)) tape->append(each);
    tape->code.push_back(static_cast<std::uint16_t>(tape_word::first_function +
                                                    static_cast<std::uint16_t>(function)));
    return ExpressionAccess::make(std::move(tape));
}

Expression detail::reduce_list(Function function,
                               std::span<const OperandView> operands,
                               const ReductionAxes& axes) {
    Expression made = apply_list(function, operands);
    const_cast<Tape&>(ExpressionAccess::tape(made)).append_axes(axes);
    return made;
}

Expression detail::convert(const OperandView& operand, DType dtype) {
    TapeHolder tape;
    tape->append(operand);
    tape->code.push_back(tape_word::cast);
    tape->code.push_back(static_cast<std::uint16_t>(dtype));
    return ExpressionAccess::make(std::move(tape));
}

Expression detail::as_expression(const OperandView& operand) {
    TapeHolder tape;
    tape->append(operand);
    return ExpressionAccess::make(std::move(tape));
}

Value::Value(Expression&& expression) {
    const TapeHolder tape(detail::ExpressionAccess::take(expression));
    auto kept = std::make_shared<detail::Tape>();
    kept->append(*tape);
    kept->name_operands();
    tape_ = std::move(kept);
}

Expression Expression::astype(DType dtype) && {
    return detail::convert(detail::OperandView(std::move(*this)), dtype);
}

}  // namespace kgen
