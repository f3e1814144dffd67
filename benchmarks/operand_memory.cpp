// SPDX-License-Identifier: MIT
#include "benchmarks/operand_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>

#include "benchmarks/bare_driver.hpp"
#include "benchmarks/touched_memory.hpp"

namespace kgen::bench {

namespace {

constexpr std::int64_t period = (1 << 20) - 3;
constexpr std::int64_t margin_elements = 256;
constexpr std::int64_t gap_run = 64;    // elements that are compared together
constexpr std::int64_t gap_runs = 512;  // at most
constexpr int poison_byte = 0xff;       // value of each poisoned byte

template <typename T>
constexpr bool is_complex_v =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <typename T>
Number number(const T& value) {
    if constexpr (is_complex_v<T>) {
        return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
    } else {
        return static_cast<double>(value);
    }
}

template <typename T>
T random_value(std::mt19937& random) {
    if constexpr (is_complex_v<T>) {
        using Part = typename T::value_type;
        const Part real = random_value<Part>(random);
        return {real, random_value<Part>(random)};
    } else if constexpr (std::is_same_v<T, bool>) {
        return random() % 2 == 0;
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(std::max<std::uint32_t>(random() & 0xff, 1));
    } else {
        const auto between = std::uniform_real_distribution<double>(-2, 2)(random);
        const auto value = std::abs(between) < 1e-3 ? 1e-3 : between;
        if constexpr (std::is_same_v<T, double>) {
            return value;
        } else {
            return static_cast<T>(static_cast<float>(value));
        }
    }
}

std::vector<std::byte> bytes_of(const Array& array) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(array.size_bytes()));
    array.copy_to_host(bytes.data());
    return bytes;
}

std::vector<Number> numbers_of(const Array& array) {
    std::vector<Number> numbers;
    visit_dtype(array.dtype(), [&]<typename T>() {
        const std::vector<std::byte> bytes = bytes_of(array);
        const auto* values = reinterpret_cast<const T*>(bytes.data());
        for (std::int64_t k = 0; k < array.size(); ++k) numbers.push_back(number(values[k]));
    });
    return numbers;
}

}  // namespace

OperandMemory::OperandMemory(const Operand& operand, Scale scale, std::int64_t margin)
    : before_(operand.offset), margin_(margin) {
    const Dims shape = scaled(operand.shape, scale);
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    allocation_ = empty({before_ + count + margin_}, operand.dtype);
    const Array whole = allocation_.slice({{before_, before_ + count}}).reshape(shape);
    view_ = operand.view ? operand.view(whole) : whole;
}

OperandMemory OperandMemory::random(const Operand& operand, Scale scale, unsigned seed) {
    OperandMemory memory(operand, scale, 0);
    const Array& whole = memory.allocation_;
    const std::int64_t count = std::min(whole.size(), period);
    visit_dtype(operand.dtype, [&]<typename T>() {
        std::mt19937 random(seed);
        // Not a std::vector<T>, because std::vector<bool> is not an array of bool.
        const auto values = std::make_unique<T[]>(static_cast<std::size_t>(count));
        for (std::int64_t k = 0; k < count; ++k) {
            values[static_cast<std::size_t>(k)] = random_value<T>(random);
            memory.values_.push_back(number(values[static_cast<std::size_t>(k)]));
        }
        // The host has one period. The rest of the memory is filled by copies within the device.
        const Array part = from_host(values.get(), operand.dtype, {count});
        for (std::int64_t at = 0; at < whole.size(); at += count) {
            const std::int64_t length = std::min(count, whole.size() - at);
            whole.slice({{at, at + length}}).assign(part.slice({{0, length}}));
        }
        synchronize();
    });
    return memory;
}

OperandMemory OperandMemory::poisoned(const Operand& operand, Scale scale) {
    OperandMemory memory(operand, scale, margin_elements);
    memory.poison();
    return memory;
}

OperandMemory OperandMemory::made(const Array& array) {
    OperandMemory memory;
    memory.allocation_ = array;
    memory.view_ = array;
    return memory;
}

void OperandMemory::poison() const {
    const auto bytes = static_cast<std::size_t>(allocation_.size_bytes());
    if (allocation_.device().kind() == DeviceKind::cuda) {
        const Stream stream = current_stream(allocation_.device());
        bare_memset(allocation_.data(), poison_byte, bytes, stream.handle());
    } else {
        std::memset(allocation_.data(), poison_byte, bytes);
    }
}

std::int64_t OperandMemory::byte_offset(const Dims& index) const {
    const Dims& shape = view_.shape();
    const int skipped = index.rank() - shape.rank();
    std::int64_t offset =
        static_cast<std::byte*>(view_.data()) - static_cast<std::byte*>(allocation_.data());
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] != 1) offset += index[axis + skipped] * view_.strides()[axis];
    }
    return offset;
}

Number OperandMemory::value_at(const Dims& index) const {
    const auto element = static_cast<std::size_t>(byte_offset(index)) / item_size(view_.dtype());
    return values_[element % values_.size()];
}

void OperandMemory::gather(
    const Dims& index, int axis, std::int64_t count, double* real, double* imaginary) const {
    const auto item = static_cast<std::int64_t>(item_size(view_.dtype()));
    const auto repeat = static_cast<std::int64_t>(values_.size());
    const int own_axis = axis - (index.rank() - view_.rank());
    const bool walks = own_axis >= 0 && view_.shape()[own_axis] != 1;
    std::int64_t step = walks ? view_.strides()[own_axis] / item % repeat : 0;
    if (step < 0) step += repeat;
    std::int64_t at = byte_offset(index) / item % repeat;
    while (count > 0) {
        const std::int64_t before_end = step == 0 ? count : (repeat - at + step - 1) / step;
        const std::int64_t length = std::min(count, before_end);
        for (std::int64_t k = 0; k < length; ++k) {
            real[k] = values_[static_cast<std::size_t>(at + k * step)].real();
        }
        for (std::int64_t k = 0; imaginary != nullptr && k < length; ++k) {
            imaginary[k] = values_[static_cast<std::size_t>(at + k * step)].imag();
        }
        at = (at + length * step) % repeat;
        real += length;
        if (imaginary != nullptr) imaginary += length;
        count -= length;
    }
}

std::vector<Number> OperandMemory::read(const Dims& index, std::int64_t count) const {
    const std::int64_t stride = view_.rank() == 0 ? 0 : view_.strides()[view_.rank() - 1];
    std::byte* first = static_cast<std::byte*>(allocation_.data()) + byte_offset(index);
    return numbers_of(Array::view(
        first, view_.dtype(), {count}, {.device = view_.device(), .strides = Dims{stride}}));
}

std::vector<std::byte> OperandMemory::bytes() const {
    return bytes_of(view_);
}

// Whether the elements from `begin` to `end` of the allocation that are not in the view are unchanged.
bool OperandMemory::is_intact(std::int64_t begin, std::int64_t end) const {
    const std::vector<std::byte> found = bytes_of(allocation_.slice({{begin, end}}));
    const auto item = static_cast<std::int64_t>(item_size(view_.dtype()));
    const auto first = static_cast<std::int64_t>(
        lowest_address(view_) - reinterpret_cast<std::uintptr_t>(allocation_.data()));
    for (std::int64_t at = begin; at < end; ++at) {
        if (is_element_at(view_, at * item - first)) continue;
        const auto place = found.begin() + (at - begin) * item;
        const bool intact = std::all_of(
            place, place + item, [](std::byte byte) { return byte == std::byte{poison_byte}; });
        if (!intact) return false;
    }
    return true;
}

bool OperandMemory::is_intact_outside() const {
    if (before_ + margin_ == 0) return true;
    const std::int64_t size = allocation_.size();
    const std::int64_t end = size - margin_;
    if (!is_intact(0, before_) || !is_intact(end, size)) return false;
    if (end - before_ == view_.size()) return true;
    const std::int64_t runs = std::min((end - before_ + gap_run - 1) / gap_run, gap_runs);
    // One run lies anywhere in each of `runs` equal parts of the memory, so that no stride can avoid all.
    std::mt19937_64 random(static_cast<std::uint64_t>(end));
    const auto part_begin = [&](std::int64_t run) {
        return before_ +
               static_cast<std::int64_t>(static_cast<double>(end - before_) *
                                         static_cast<double>(run) / static_cast<double>(runs));
    };
    for (std::int64_t run = 0; run < runs; ++run) {
        const std::int64_t spare = part_begin(run + 1) - part_begin(run) - gap_run;
        const std::int64_t shift =
            spare <= 0
                ? 0
                : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(spare + 1));
        const std::int64_t begin = part_begin(run) + shift;
        if (!is_intact(begin, std::min(begin + gap_run, end))) return false;
    }
    return true;
}

Dims broadcast_shape(const std::vector<OperandMemory>& operands) {
    int rank = 0;
    for (const OperandMemory& operand : operands) rank = std::max(rank, operand.view().rank());
    Dims shape = Dims::filled(rank, 1);
    for (const OperandMemory& operand : operands) {
        const Dims& own = operand.view().shape();
        for (int axis = 0; axis < own.rank(); ++axis) {
            std::int64_t& extent = shape[axis + rank - own.rank()];
            extent = std::max(extent, own[axis]);
        }
    }
    return shape;
}

}  // namespace kgen::bench
