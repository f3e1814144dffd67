// SPDX-License-Identifier: MIT
//
// InlineVector: a vector of trivially copyable values. The first N are stored in the object itself, so that a call
// with a usual number of parameters takes no memory from the heap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

namespace kgen {

// Has the members of std::vector that its users need. Moving copies the values that are stored inline.
template <typename T, std::size_t N>
class InlineVector {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    InlineVector() noexcept {}
    InlineVector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
    InlineVector(const InlineVector& other) { assign(other.begin(), other.end()); }
    InlineVector(InlineVector&& other) noexcept { take(other); }
    InlineVector& operator=(const InlineVector& other) {
        if (this != &other) assign(other.begin(), other.end());
        return *this;
    }
    InlineVector& operator=(InlineVector&& other) noexcept {
        if (this != &other) take(other);
        return *this;
    }
    ~InlineVector() = default;

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T* data() noexcept { return many_ ? many_.get() : few_; }
    const T* data() const noexcept { return many_ ? many_.get() : few_; }
    T* begin() noexcept { return data(); }
    T* end() noexcept { return data() + size_; }
    const T* begin() const noexcept { return data(); }
    const T* end() const noexcept { return data() + size_; }
    T& operator[](std::size_t k) noexcept { return data()[k]; }
    const T& operator[](std::size_t k) const noexcept { return data()[k]; }
    T& back() noexcept { return data()[size_ - 1]; }

    void push_back(const T& value) {
        const T copy = value;  // the value may be an element
        reserve(size_ + 1);
        std::construct_at(data() + size_++, copy);
    }
    void clear() noexcept { size_ = 0; }
    void resize(std::size_t size, const T& value = T()) {
        reserve(size);
        if (size > size_) std::uninitialized_fill(end(), begin() + size, value);
        size_ = size;
    }
    void reserve(std::size_t size) {
        if (size <= capacity_) return;
        const std::size_t capacity = std::max(size, 2 * capacity_);
        auto more = std::make_unique_for_overwrite<T[]>(capacity);
        std::copy(begin(), end(), more.get());
        many_ = std::move(more);
        capacity_ = capacity;
    }

    friend bool operator==(const InlineVector& a, const InlineVector& b) noexcept {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    void assign(const T* first, const T* last) {
        size_ = 0;
        reserve(static_cast<std::size_t>(last - first));
        std::uninitialized_copy(first, last, data());
        size_ = static_cast<std::size_t>(last - first);
    }
    void take(InlineVector& other) noexcept {
        if (!other.many_) std::uninitialized_copy(other.begin(), other.end(), few_);
        many_ = std::move(other.many_);
        capacity_ = std::exchange(other.capacity_, N);
        size_ = std::exchange(other.size_, 0);
    }

    std::unique_ptr<T[]> many_;  // holds all values if there have been more than N
    std::size_t capacity_ = N;
    std::size_t size_ = 0;
    union {
        T few_[N];
    };
};

// A value for each parameter of a kernel. Kernels of more parameters take memory from the heap.
inline constexpr std::size_t usual_parameters = 16;
template <typename T>
using PerParameter = InlineVector<T, usual_parameters>;

}  // namespace kgen
