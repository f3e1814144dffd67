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

// The values have the given alignment, which is at most that of operator new.
// Has the members of std::vector that its users need. Moving copies the values that are stored inline.
template <typename T, std::size_t N, std::size_t alignment = alignof(T)>
class InlineVector {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    InlineVector() noexcept {}
    InlineVector(std::initializer_list<T> values) { assign(values.begin(), values.size()); }
    InlineVector(const InlineVector& other) { assign(other.data_, other.size_); }
    InlineVector(InlineVector&& other) noexcept { take(other); }
    InlineVector& operator=(const InlineVector& other) {
        if (this != &other) assign(other.data_, other.size_);
        return *this;
    }
    InlineVector& operator=(InlineVector&& other) noexcept {
        if (this == &other) return *this;
        release();
        take(other);
        return *this;
    }
    ~InlineVector() { release(); }

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    const T* begin() const noexcept { return data_; }
    const T* end() const noexcept { return data_ + size_; }
    T& operator[](std::size_t k) noexcept { return data_[k]; }
    const T& operator[](std::size_t k) const noexcept { return data_[k]; }

    // Appends a value with its default members, which may be uninitialised.
    T& emplace_back() {
        if (size_ == capacity_) [[unlikely]]
            grow(size_ + 1);
        return *::new (static_cast<void*>(data_ + size_++)) T;
    }
    void push_back(T value) {
        if (size_ == capacity_) [[unlikely]]
            grow(size_ + 1);
        std::construct_at(data_ + size_++, value);
    }
    void resize(std::size_t size, T value = T()) {
        if (size > capacity_) [[unlikely]]
            grow(size);
        if (size > size_) std::uninitialized_fill(end(), data_ + size, value);
        size_ = size;
    }

    friend bool operator==(const InlineVector& a, const InlineVector& b) noexcept {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    void grow(std::size_t size) {
        const std::size_t capacity = std::max(size, 2 * capacity_);
        T* const more = std::allocator<T>().allocate(capacity);
        std::uninitialized_copy(begin(), end(), more);
        release();
        data_ = more;
        capacity_ = capacity;
    }
    void release() noexcept {
        if (data_ != few_) std::allocator<T>().deallocate(data_, capacity_);
    }
    void assign(const T* first, std::size_t size) {
        size_ = 0;
        if (size > capacity_) [[unlikely]]
            grow(size);
        std::uninitialized_copy_n(first, size, data_);
        size_ = size;
    }
    // Requires that this object owns no memory.
    void take(InlineVector& other) noexcept {
        const bool is_inline = other.data_ == other.few_;
        if (is_inline) std::uninitialized_copy_n(other.data_, other.size_, few_);
        data_ = is_inline ? few_ : other.data_;
        capacity_ = other.capacity_;
        size_ = other.size_;
        other.data_ = other.few_;
        other.capacity_ = N;
        other.size_ = 0;
    }

    T* data_ = few_;
    std::size_t capacity_ = N;
    std::size_t size_ = 0;
    union {
        alignas(alignment) T few_[N];
    };
};

// A value for each parameter of a kernel. Kernels of more parameters take memory from the heap.
inline constexpr std::size_t usual_parameters = 16;
template <typename T>
using PerParameter = InlineVector<T, usual_parameters>;

}  // namespace kgen
