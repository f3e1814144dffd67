// SPDX-License-Identifier: MIT
//
// RecyclingAllocator: an allocator for std::allocate_shared. It keeps freed nodes on the thread that freed
// them and reuses them for that thread's next allocations. It takes no lock, and calls malloc only if the
// thread has no freed node.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace kgen {

// A list of freed nodes of one size on this thread, at most `most` of them. Each node stores the link to the
// next.
template <std::size_t size_bytes>
class NodeRecycler {
public:
    static void* take() {
        if (first_ == nullptr) return ::operator new(size_bytes);
        --count_;
        return std::exchange(first_, first_->next);
    }
    static void keep(void* node) noexcept {
        if (count_ >= most || ended_) {
            ::operator delete(node);
            return;
        }
        static thread_local Owner owner;
        static_cast<void>(owner);
        first_ = ::new (node) Node{first_};
        ++count_;
    }

private:
    struct Node {
        Node* next;
    };
    // Frees the list when the thread ends. Static destructors that run later keep nothing.
    struct Owner {
        ~Owner() {
            ended_ = true;
            while (first_ != nullptr) ::operator delete(std::exchange(first_, first_->next));
            count_ = 0;
        }
    };
    static_assert(size_bytes >= sizeof(Node));
    static constexpr int most = 64;

    static inline constinit thread_local Node* first_ = nullptr;
    static inline constinit thread_local int count_ = 0;
    static inline constinit thread_local bool ended_ = false;
};

template <typename T>
struct RecyclingAllocator {
    using value_type = T;
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

    RecyclingAllocator() = default;
    template <typename U>
    RecyclingAllocator(const RecyclingAllocator<U>&) noexcept {}  // NOLINT: of the same node pool

    T* allocate(std::size_t count) {
        if (count != 1) return static_cast<T*>(::operator new(count * sizeof(T)));
        return static_cast<T*>(NodeRecycler<sizeof(T)>::take());
    }
    void deallocate(T* pointer, std::size_t count) noexcept {
        if (count != 1) {
            ::operator delete(pointer);
        } else {
            NodeRecycler<sizeof(T)>::keep(pointer);
        }
    }
    friend bool operator==(RecyclingAllocator, RecyclingAllocator) noexcept { return true; }
};

}  // namespace kgen
