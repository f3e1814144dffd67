// SPDX-License-Identifier: MIT
#include "host/run/thread_pool.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <kgen/error.hpp>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "host/run/float_environment.hpp"
#include "store_settings.hpp"
#include "text/environment.hpp"
#include "text/log.hpp"
#include "text/setting.hpp"

namespace kgen {
namespace {

constexpr int most_threads = 1024;
constexpr std::int64_t range_alignment = 64;
// Several, so that a delayed thread delays the loop only a little.
constexpr std::int64_t ranges_per_thread = 4;

// One loop, on its caller's stack. `next` is atomic; the pool's lock guards the rest.
struct Loop {
    RangeBody body;
    std::int64_t count;
    std::int64_t range;  // iterations of each range but the last
    std::int64_t range_count;
    std::atomic<std::int64_t> next{0};
    int helpers = 0;  // workers that hold a pointer to this
    std::condition_variable helpers_gone;
    std::int64_t failed_range = std::numeric_limits<std::int64_t>::max();
    std::exception_ptr failure;

    Loop(RangeBody loop_body, std::int64_t loop_count, std::int64_t loop_range)
        : body(loop_body),
          count(loop_count),
          range(loop_range),
          range_count((loop_count - 1) / loop_range + 1) {}
};

thread_local bool inside_loop = false;

class Pool {
public:
    explicit Pool(int worker_count) : most_workers_(worker_count) {}

    void run(Loop& loop) {
        std::int64_t wanted = loop.range_count - 1;
        {
            const std::lock_guard lock(mutex_);
            if (workers_ < most_workers_) [[unlikely]]
                start_workers();
            wanted = std::min<std::int64_t>(wanted, workers_);
            loops_.push_back(&loop);
        }
        for (std::int64_t k = 0; k < wanted; ++k) work_there_.notify_one();
        take_ranges(loop);
        std::unique_lock lock(mutex_);
        loops_.erase(std::find(loops_.begin(), loops_.end(), &loop));
        loop.helpers_gone.wait(lock, [&] { return loop.helpers == 0; });
    }

private:
    Loop* open_loop() const noexcept {
        for (Loop* loop : loops_) {
            if (loop->next.load(std::memory_order_relaxed) < loop->range_count) return loop;
        }
        return nullptr;
    }

    // The lock must be held.
    void start_workers() {
        // Signals are left to the program's own threads.
        sigset_t all;
        sigset_t before;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            for (; workers_ < most_workers_; ++workers_) {
                std::thread([this] { work(); }).detach();
            }
        } catch (const std::system_error& error) {
            log().warn("the host device runs on {} threads instead of {}: {}",
                       workers_ + 1,
                       most_workers_ + 1,
                       error.what());
            most_workers_ = workers_;
        }
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    // Ends after a second without work. A process whose main thread has called pthread_exit() ends when its other
    // threads have ended, so no thread may wait for ever.
    void work() {
        constexpr std::chrono::seconds longest_idle{1};
        ::pthread_setname_np(::pthread_self(), "kgen-host");
        std::unique_lock lock(mutex_);
        for (;;) {
            Loop* loop = open_loop();
            if (loop == nullptr) {
                const auto woken = work_there_.wait_for(lock, longest_idle);
                if (woken == std::cv_status::no_timeout || open_loop() != nullptr) continue;
                --workers_;
                return;
            }
            ++loop->helpers;
            lock.unlock();
            take_ranges(*loop);
            lock.lock();
            // Notified under the lock, because the caller may return and destroy the loop once it sees 0.
            if (--loop->helpers == 0) loop->helpers_gone.notify_all();
        }
    }

    void take_ranges(Loop& loop) noexcept {
        const DefaultFloatEnvironment environment;
        inside_loop = true;
        for (;;) {
            const std::int64_t at = loop.next.fetch_add(1, std::memory_order_relaxed);
            if (at >= loop.range_count) break;
            const std::int64_t begin = at * loop.range;
            const std::int64_t end = at + 1 == loop.range_count ? loop.count : begin + loop.range;
            try {
                loop.body(begin, end);
            } catch (...) {
                const std::lock_guard lock(mutex_);
                loop.next.store(loop.range_count, std::memory_order_relaxed);
                // Ranges are begun in order, and those before a failed one all run to their end. So the first
                // that fails is the same in each run.
                if (at < loop.failed_range) {
                    loop.failed_range = at;
                    loop.failure = std::current_exception();
                }
            }
        }
        inside_loop = false;
    }

    std::mutex mutex_;
    std::condition_variable work_there_;
    std::vector<Loop*> loops_;
    std::int64_t workers_ = 0;
    std::int64_t most_workers_;
};

// The pool is never destroyed, because its threads sleep in it when the process ends. The child of a fork
// makes its own, because it does not have the threads and the lock may be held for ever.
std::atomic<Pool*> current_pool{nullptr};
std::atomic_flag creating_pool = ATOMIC_FLAG_INIT;

Pool& pool(int threads) {
    if (Pool* there = current_pool.load(std::memory_order_acquire)) return *there;
    while (creating_pool.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    Pool* made = current_pool.load(std::memory_order_acquire);
    if (made == nullptr) {
        static const int registered = ::pthread_atfork(nullptr, nullptr, [] {
            current_pool.store(nullptr);
            creating_pool.clear();
            inside_loop = false;
        });
        static_cast<void>(registered);
        made = new Pool(threads - 1);
        current_pool.store(made, std::memory_order_release);
    }
    creating_pool.clear(std::memory_order_release);
    return *made;
}

int available_cpus() {
    constexpr int most_cpus = 8192;
    cpu_set_t* set = CPU_ALLOC(most_cpus);
    int count = 0;
    if (set != nullptr && ::sched_getaffinity(0, CPU_ALLOC_SIZE(most_cpus), set) == 0) {
        count = CPU_COUNT_S(CPU_ALLOC_SIZE(most_cpus), set);
    }
    CPU_FREE(set);
    return std::clamp(count, 1, most_threads);
}

void run_here(std::int64_t count, RangeBody body) {
    const DefaultFloatEnvironment environment;
    body(0, count);
}

}  // namespace

int read_thread_count(const std::optional<std::string>& setting) {
    if (!setting) return available_cpus();
    const std::optional<std::uint64_t> value = cache::read_count(*setting);
    if (!value || *value > most_threads) {
        static std::atomic<bool> is_told = false;
        const int count = available_cpus();
        warn_once(is_told,
                  wrong_setting("KGEN_HOST_THREADS",
                                *setting,
                                fmt::format("a whole number from 1 to {}", most_threads),
                                std::to_string(count)));
        return count;
    }
    return static_cast<int>(*value);
}

int host_thread_count() {
    static const int count = read_thread_count(environment("KGEN_HOST_THREADS"));
    return count;
}

void parallel_for(std::int64_t count, std::int64_t grain, RangeBody body) {
    if (count <= 0) return;
    grain = std::max<std::int64_t>(grain, 1);
    const int threads = host_thread_count();
    if (threads == 1 || inside_loop || count / 2 < grain) return run_here(count, body);

    const std::int64_t ranges = std::min(count / grain, threads * ranges_per_thread);
    std::int64_t range = (count - 1) / ranges + 1;
    range = ((range - 1) / range_alignment + 1) * range_alignment;
    if (range >= count) return run_here(count, body);

    Loop loop(body, count, range);
    pool(threads).run(loop);
    if (loop.failure) std::rethrow_exception(loop.failure);
}

}  // namespace kgen
