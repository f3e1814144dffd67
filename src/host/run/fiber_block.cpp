// SPDX-License-Identifier: MIT
#include "host/run/fiber_block.hpp"

#include <ucontext.h>

#include <bit>
#include <new>
#include <utility>

#include "host/kernel/host_raw_error.hpp"

namespace kgen {

namespace {

// Fibers by ucontext: slow, but available everywhere. For CPUs for which the skeleton has no switch of its
// own.
constexpr std::size_t context_bytes = (sizeof(ucontext_t) + 63) / 64 * 64;

// Makes a context that begins with `function`, in memory of context_bytes.
void start_context(void* context, std::byte* stack, std::size_t bytes, void (*function)()) {
    auto* made = new (context) ucontext_t{};
    ::getcontext(made);
    made->uc_stack.ss_sp = stack;
    made->uc_stack.ss_size = bytes;
    made->uc_link = nullptr;
    ::makecontext(made, function, 0);
}

// Saves the current place in `from` and continues in `to`.
void swap_contexts(void* from, void* to) {
    ::swapcontext(static_cast<ucontext_t*>(from), static_cast<ucontext_t*>(to));
}

constexpr unsigned low_bits(unsigned count) noexcept {
    return count >= 32 ? ~0U : (1U << count) - 1;
}

// Calls `use` with the number of each set bit, lowest first.
template <typename Use>
void for_bits(unsigned bits, const Use& use) {
    for (; bits != 0; bits &= bits - 1) use(static_cast<unsigned>(std::countr_zero(bits)));
}

unsigned reduced(WaitKind kind, unsigned a, unsigned b) noexcept {
    switch (kind) {
        case WaitKind::add:
            return a + b;
        case WaitKind::min:
            return static_cast<int>(a) < static_cast<int>(b) ? a : b;
        case WaitKind::max:
            return static_cast<int>(a) > static_cast<int>(b) ? a : b;
        case WaitKind::unsigned_min:
            return a < b ? a : b;
        case WaitKind::unsigned_max:
            return a > b ? a : b;
        case WaitKind::bit_and:
            return a & b;
        case WaitKind::bit_or:
            return a | b;
        default:
            return a ^ b;
    }
}

bool is_shuffle(WaitKind kind) noexcept {
    return kind >= WaitKind::shuffle && kind <= WaitKind::shuffle_xor;
}

FiberBlock& of(HostFiberBlock* block) noexcept {
    return *static_cast<FiberBlock*>(block);
}

}  // namespace

const HostFiberCalls FiberBlock::calls = {
    [](HostFiberBlock* block, const HostRawLaunch* launch, void (*fiber_main)()) {
        of(block).start(*launch, fiber_main);
    },
    [](HostFiberBlock* block, const HostIndex* index) { return of(block).begin(*index); },
    [](HostFiberBlock* block, HostFiber* fiber, int kind, bool counts, int line, const char* file) {
        return of(block).arrive(
            *static_cast<Fiber*>(fiber), {static_cast<WaitKind>(kind), line, file}, counts);
    },
    [](HostFiberBlock* block,
       HostFiber* fiber,
       int kind,
       unsigned mask,
       int argument,
       int line,
       const char* file) {
        return of(block).join(
            *static_cast<Fiber*>(fiber), {static_cast<WaitKind>(kind), line, file}, mask, argument);
    },
    [](HostFiberBlock* block, HostFiber* fiber, int line, const char* file) {
        return of(block).ask(*static_cast<Fiber*>(fiber), {WaitKind::sync_warp, line, file});
    },
    [](HostFiberBlock* block, HostFiber* fiber) {
        return of(block).leave(*static_cast<Fiber*>(fiber));
    },
    [](HostFiberBlock* block) { of(block).finish(); },
    swap_contexts,
};

void FiberBlock::set_stacks(std::byte* stacks, std::size_t stack_bytes, bool by_context) noexcept {
    stacks_ = stacks;
    stack_bytes_ = stack_bytes;
    by_context_ = by_context;
}

void FiberBlock::start(const HostRawLaunch& launch, void (*fiber_main)()) {
    const unsigned width = launch.block[0];
    const unsigned height = launch.block[1];
    thread_count_ = width * height * launch.block[2];
    warp_count_ = (thread_count_ + lanes_of_warp - 1) / lanes_of_warp;
    main = &main_;
    failure_ = nullptr;
    if (fibers_.size() < thread_count_) fibers_.resize(thread_count_);
    if (by_context_) contexts_.resize((thread_count_ + 1) * context_bytes);
    for (unsigned k = 0; k < thread_count_; ++k) {
        Fiber& fiber = fibers_[k];
        fiber.thread = {k % width, k / width % height, k / width / height};
        fiber.lane = k % lanes_of_warp;
        fiber.warp = k / lanes_of_warp;
        std::byte* bottom = stacks_ + k * stack_bytes_;
        // Stacks begin at different cache lines, because otherwise they evict each other from the cache.
        std::byte* top = bottom + stack_bytes_ - std::size_t{64} * (k * 17 % 64);
        if (by_context_) {
            fiber.stack_pointer = contexts_.data() + k * context_bytes;
            start_context(
                fiber.stack_pointer, bottom, static_cast<std::size_t>(top - bottom), fiber_main);
        } else {
            // The stack is as right after a call: 16-byte alignment less the return address. The address is
            // null, so a backtrace ends there. CPUs that keep it in a register do not need the space.
            top -= 72;
#if !defined(__x86_64__)
            top -= 8;
#endif
            *reinterpret_cast<void**>(top) = nullptr;
            fiber.stack_pointer = top;
            fiber.resume = reinterpret_cast<void*>(fiber_main);
        }
    }
    for (unsigned w = 0; w < warp_count_; ++w) {
        warps_[w] = {};
        warps_[w].lanes = fibers_.data() + w * lanes_of_warp;
    }
    if (by_context_) main_.stack_pointer = contexts_.data() + thread_count_ * context_bytes;
}

HostFiber* FiberBlock::begin(const HostIndex& index) noexcept {
    index_ = index;
    for (unsigned w = 0; w < warp_count_; ++w) {
        warps_[w].ready = warps_[w].live = low_bits(thread_count_ - w * lanes_of_warp);
    }
    ready_ = low_bits(warp_count_);
    live_ = thread_count_;
    arrived_ = count_ = 0;
    return next(0);
}

void FiberBlock::finish() {
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
}

// Takes the next fiber out of those that are ready. Returns the worker itself if all threads have returned.
HostFiber* FiberBlock::next(unsigned warp_index) noexcept {
    for (;;) {
        Warp& warp = warps_[warp_index];
        if (warp.ready == 0 && warp.asking != 0) answer(warp);
        if (warp.ready != 0) {
            Fiber* fiber = warp.lanes + std::countr_zero(warp.ready);
            warp.ready &= warp.ready - 1;
            return fiber;
        }
        ready_ &= ~(1U << warp_index);
        if (ready_ == 0) return live_ != 0 ? fail_stuck() : &main_;
        warp_index = static_cast<unsigned>(std::countr_zero(ready_));
    }
}

void FiberBlock::open_barrier() noexcept {
    for (unsigned w = 0; w < warp_count_; ++w) warps_[w].ready = warps_[w].live;
    ready_ = low_bits(warp_count_);
    total = std::exchange(arrived_, 0);
    counted = std::exchange(count_, 0);
}

HostFiber* FiberBlock::arrive(Fiber& fiber, const WaitPlace& place, bool counts) noexcept {
    if (arrived_++ == 0) {
        barrier_ = place;
        first_ = &fiber;
    } else if (barrier_.line != place.line || barrier_.kind != place.kind) {
        return fail(
            describe_barriers(index_, {first_->thread, barrier_, 0}, {fiber.thread, place, 0}));
    }
    count_ += counts ? 1 : 0;
    if (arrived_ != live_) return next(fiber.warp);
    open_barrier();
    warps_[fiber.warp].ready &= ~(1U << fiber.lane);
    return nullptr;
}

HostFiber* FiberBlock::join(Fiber& fiber,
                            const WaitPlace& place,
                            unsigned mask,
                            int argument) noexcept {
    Warp& warp = warps_[fiber.warp];
    const unsigned bit = 1U << fiber.lane;
    if ((mask & bit) == 0)
        return fail(describe_mask(index_, {fiber.thread, place, mask}, fiber.lane));
    fiber.mask = mask;
    fiber.argument = argument;
    fiber.place = place;
    warp.waiting |= bit;
    const unsigned lanes = mask & warp.live;
    const bool is_complete =
        (warp.waiting & lanes) == lanes && complete(warp, mask, lanes, place.kind);
    if (!is_complete) return next(fiber.warp);
    warp.ready &= ~bit;
    return nullptr;
}

// Gives each lane of the group its result. Returns false if one of them waits for something else.
bool FiberBlock::complete(Warp& warp, unsigned mask, unsigned lanes, WaitKind kind) noexcept {
    std::array<unsigned long long, lanes_of_warp> values;
    unsigned votes = 0;
    bool is_group = true;
    for_bits(lanes, [&](unsigned lane) {
        const Fiber& fiber = warp.lanes[lane];
        is_group &= fiber.mask == mask && fiber.place.kind == kind;
        values[lane] = fiber.value;
        if (fiber.value != 0) votes |= 1U << lane;
    });
    if (!is_group) return false;
    const auto give_all = [&](unsigned long long value) {
        for_bits(lanes, [&](unsigned lane) { warp.lanes[lane].value = value; });
    };
    const auto equal_to = [&](unsigned lane) {
        unsigned same = 0;
        for_bits(lanes, [&](unsigned other) {
            if (values[other] == values[lane]) same |= 1U << other;
        });
        return same;
    };
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    if (is_shuffle(kind)) {
        for_bits(lanes, [&](unsigned lane) {
            // Reading from a lane that does not take part is undefined in CUDA. Here the lane gets its own
            // value.
            Fiber& fiber = warp.lanes[lane];
            const auto from = static_cast<unsigned>(fiber.argument);
            if ((lanes >> from & 1U) != 0) fiber.value = values[from];
        });
    } else if (kind == WaitKind::ballot) {
        give_all(votes);
    } else if (kind == WaitKind::any) {
        give_all(votes != 0 ? 1 : 0);
    } else if (kind == WaitKind::all) {
        give_all(votes == lanes ? 1 : 0);
    } else if (kind == WaitKind::match_all) {
        give_all(equal_to(first) == lanes ? lanes : 0);
    } else if (kind == WaitKind::match_any) {
        for_bits(lanes, [&](unsigned lane) { warp.lanes[lane].value = equal_to(lane); });
    } else if (kind != WaitKind::sync_warp) {
        auto folded = static_cast<unsigned>(values[first]);
        for_bits(lanes & (lanes - 1), [&](unsigned lane) {
            folded = reduced(kind, folded, static_cast<unsigned>(values[lane]));
        });
        give_all(folded);
    }
    warp.waiting &= ~lanes;
    warp.ready |= lanes;
    return true;
}

HostFiber* FiberBlock::ask(Fiber& fiber, const WaitPlace& place) noexcept {
    fiber.place = place;
    warps_[fiber.warp].asking |= 1U << fiber.lane;
    return next(fiber.warp);
}

// Called if no lane can go on. The lanes that ask at one place are the active ones, as on a GPU, where the
// lanes of a branch run together.
void FiberBlock::answer(Warp& warp) noexcept {
    const WaitPlace& place = warp.lanes[std::countr_zero(warp.asking)].place;
    unsigned lanes = 0;
    for_bits(warp.asking, [&](unsigned lane) {
        if (warp.lanes[lane].place == place) lanes |= 1U << lane;
    });
    for_bits(lanes, [&](unsigned lane) { warp.lanes[lane].value = lanes; });
    warp.asking &= ~lanes;
    warp.ready |= lanes;
}

// Removes a thread that has returned. The other threads may have been waiting only for this one, so a barrier
// may open and warp functions may complete.
HostFiber* FiberBlock::leave(Fiber& fiber) noexcept {
    Warp& warp = warps_[fiber.warp];
    warp.live &= ~(1U << fiber.lane);
    --live_;
    if (arrived_ != 0 && arrived_ == live_) open_barrier();
    for_bits(warp.waiting, [&](unsigned lane) {
        const Fiber& other = warp.lanes[lane];
        const unsigned lanes = other.mask & warp.live;
        if ((warp.waiting & lanes) == lanes) complete(warp, other.mask, lanes, other.place.kind);
    });
    return next(fiber.warp);
}

HostFiber* FiberBlock::fail(std::string text) noexcept {
    failure_ = std::make_exception_ptr(HostRawError{std::move(text)});
    return &main_;
}

// Called if threads are left and none can run. Reports the first thread that waits for its warp, and a lane
// that it waits for.
HostFiber* FiberBlock::fail_stuck() noexcept {
    for (unsigned w = 0; w < warp_count_; ++w) {
        const Warp& warp = warps_[w];
        if (warp.waiting == 0) continue;
        const Fiber& waiting = warp.lanes[std::countr_zero(warp.waiting)];
        for (unsigned rest = waiting.mask & warp.live; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            const Fiber& other = warp.lanes[lane];
            const bool is_in_warp = (warp.waiting >> lane & 1U) != 0;
            if (is_in_warp && other.mask == waiting.mask && other.place.kind == waiting.place.kind)
                continue;
            return fail(describe_stuck(
                index_,
                {waiting.thread, waiting.place, waiting.mask},
                {other.thread, is_in_warp ? other.place : barrier_, is_in_warp ? other.mask : 0}));
        }
    }
    return &main_;
}

}  // namespace kgen
