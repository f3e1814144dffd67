// SPDX-License-Identifier: MIT
//
// However many processes and threads ask for a new kernel, it is compiled once. The tests use a compiler that
// counts and processes forked from this one.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <kgen/error.hpp>
#include <latch>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "image/compile_settings.hpp"
#include "image/find_or_compile.hpp"
#include "image/flight_table.hpp"
#include "image/image_entry.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/counting_compiler.hpp"
#include "support/fresh_process.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using kgen::test::CountingCompiler;
using kgen::test::find_counting;
using kgen::test::Shared;

namespace {

void pause_briefly() {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

cache::StoreSettings settings_in(const TempDir& folder) {
    cache::StoreSettings settings;
    settings.mode = cache::StoreMode::read_write;
    settings.root = folder / "cache";
    settings.lock_timeout = std::chrono::minutes(10);  // only a test that hangs reaches it
    return settings;
}

struct Counts {
    std::atomic<int> ready{0};
    std::atomic<int> compiles{0};
    std::atomic<int> errors{0};
};

// Runs the work in `count` processes at the same time. Returns how many of them ended well.
template <typename Work>
int run_processes(int count, Shared<Counts>& counts, const Work& work) {
    counts->ready = 0;
    std::vector<::pid_t> children;
    for (int k = 0; k < count; ++k) {
        children.push_back(start_child([&] {
            CountingCompiler compiler;
            compiler.during = [&](const CompileJob&) {
                ++counts->compiles;
                pause_briefly();
            };
            ++counts->ready;
            while (counts->ready < count) pause_briefly();
            return work(compiler);
        }));
    }
    int well = 0;
    for (const ::pid_t child : children) well += ended_well(wait_for(child)) ? 1 : 0;
    return well;
}

}  // namespace

TEST_CASE("processes that meet in a new kernel compile it once", "[image][flight]") {
    const TempDir folder;
    Shared<Counts> counts;
    const auto work = [&](const CountingCompiler& compiler) {
        cache::Store store(settings_in(folder));
        return find_counting("met by processes", compiler, store).image.sections.empty() ? 1 : 0;
    };
    CHECK(run_processes(8, counts, work) == 8);
    CHECK(counts->compiles == 1);
}

TEST_CASE("without locks each process compiles at most once, and all get the image",
          "[image][flight]") {
    const TempDir folder;
    Shared<Counts> counts;
    const auto work = [&](const CountingCompiler& compiler) {
        cache::StoreSettings settings = settings_in(folder);
        settings.locking = cache::Locking::off;
        cache::Store store(settings);
        find_counting("no locks", compiler, store);
        return find_counting("no locks", compiler, store).origin == ImageOrigin::cache ? 0 : 1;
    };
    CHECK(run_processes(8, counts, work) == 8);
    CHECK(counts->compiles >= 1);
    CHECK(counts->compiles <= 8);
}

TEST_CASE("64 processes that want 50 kernels compile each of them once", "[image][flight]") {
    const TempDir folder;
    Shared<Counts> counts;
    const auto work = [&](const CountingCompiler& compiler) {
        cache::Store store(settings_in(folder));
        for (int k = 0; k < 50; ++k) {
            find_counting("kernel " + std::to_string(k), compiler, store);
        }
        return store.statistics().lock_timeouts == 0 ? 0 : 1;
    };
    CHECK(run_processes(64, counts, work) == 64);
    CHECK(counts->compiles >= 50);
    CHECK(counts->compiles <= 55);
}

TEST_CASE("where the compile fails every process that waited tries it and gets its own error",
          "[image][flight]") {
    const TempDir folder;
    Shared<Counts> counts;
    const auto work = [&](const CountingCompiler& compiler) {
        cache::Store store(settings_in(folder));
        try {
            find_counting("bad: met by processes", compiler, store);
        } catch (const CompileError& error) {
            return std::string(error.what()) == "kernel 'k': refused" && error.log() == "log" ? 0
                                                                                              : 1;
        }
        return 2;
    };
    CHECK(run_processes(4, counts, work) == 4);
    CHECK(counts->compiles == 4);
}

TEST_CASE("different kernels are compiled at the same time", "[image][flight]") {
    const TempDir folder;
    Shared<Counts> counts;
    constexpr int processes = 4;
    const auto work = [&](CountingCompiler& compiler) {
        // Each compilation ends when all have begun.
        compiler.during = [&](const CompileJob&) {
            ++counts->compiles;
            while (counts->compiles < processes) pause_briefly();
        };
        cache::Store store(settings_in(folder));
        find_counting("kernel of " + std::to_string(::getpid()), compiler, store);
        return 0;
    };
    CHECK(run_processes(processes, counts, work) == processes);
    CHECK(counts->compiles == processes);
}

TEST_CASE("an image that another process stored while this one waited counts as a hit",
          "[image][flight]") {
    const TempDir folder;
    CountingCompiler compiler;
    cache::Store store(settings_in(folder));
    cache::Store holder(settings_in(folder));
    const CompileJob job = test::counting_job("waited for");
    const ImageRequest request = make_request(job, compiler);
    cache::EntryLock lock;
    REQUIRE_FALSE(holder.wait_for_turn(request.digest, "identity", lock));
    std::thread maker([&] {
        while (store.statistics().lock_waits == 0) pause_briefly();
        CountingCompiler other;
        cache::StoreSettings settings = settings_in(folder);
        settings.locking = cache::Locking::off;
        cache::Store unlocked(settings);
        find_or_compile(job, request, other, unlocked);
    });
    CHECK(find_or_compile(job, request, compiler, store).origin == ImageOrigin::cache);
    maker.join();
    CHECK(compiler.compiles == 0);
    CHECK(store.statistics().hits == 1);
}

TEST_CASE("no more compiles run at once than there are slots", "[image][flight]") {
    CompileSlots slots(2);
    std::atomic<int> running{0};
    std::atomic<int> most{0};
    std::latch start(8);
    std::vector<std::thread> threads;
    for (int k = 0; k < 8; ++k) {
        threads.emplace_back([&] {
            start.arrive_and_wait();
            const CompileSlot slot(slots);
            const int now = ++running;
            int before = most.load();
            while (before < now && !most.compare_exchange_weak(before, now)) {
            }
            pause_briefly();
            --running;
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(most >= 1);
    CHECK(most <= 2);
}

TEST_CASE("a child has all the slots of its own, whatever its parent was compiling",
          "[image][flight]") {
    CompileSlots slots(1);
    const CompileSlot held(slots);
    CHECK(said_by_child([&]() -> std::string {
              const CompileSlot own(slots);
              return "taken";
          }) == "taken");
}

TEST_CASE("a child computes what a thread of its parent was computing", "[flight]") {
    FlightTable<int, int> table;
    table.get(1, [] { return 10; });
    std::latch computing(1);
    std::latch may_end(1);
    std::thread other([&] {
        table.get(2, [&] {
            computing.count_down();
            may_end.wait();
            return 20;
        });
    });
    computing.wait();
    CHECK(said_by_child([&]() -> std::string {
              const int known = table.get(1, [] { return 0; });
              const int again = table.get(2, [] { return 21; });
              return std::to_string(known) + " " + std::to_string(again);
          }) == "10 21");
    may_end.count_down();
    other.join();
    CHECK(table.get(2, [] { return 0; }) == 20);
    CHECK(table.hits() == 1);
}

TEST_CASE("KGEN_COMPILE and KGEN_JOBS are read strictly", "[image]") {
    const auto with = [](std::map<std::string, std::string> variables) {
        return resolve_compile_settings(
            [&](const char* name) -> std::optional<std::string> {
                const auto found = variables.find(name);
                if (found == variables.end()) return std::nullopt;
                return found->second;
            },
            4);
    };
    CHECK(with({}).mode == CompileMode::automatic);
    CHECK(with({}).jobs == 4);
    CHECK(with({{"KGEN_COMPILE", "never"}}).mode == CompileMode::never);
    CHECK(with({{"KGEN_COMPILE", "auto"}}).mode == CompileMode::automatic);
    CHECK(with({{"KGEN_JOBS", "2"}}).jobs == 2);
    CHECK(with({{"KGEN_JOBS", "2"}}).sources ==
          std::map<std::string, std::string>{{"KGEN_JOBS", "KGEN_JOBS"}});
    CHECK(with({{"KGEN_COMPILE", "Never"}}).warnings ==
          std::vector<std::string>{
              "KGEN_COMPILE is 'Never'; expected auto or never; the default auto is used"});
    CHECK(with({{"KGEN_COMPILE", "Never"}}).mode == CompileMode::automatic);
    for (const char* jobs : {"0", "-1", "two", "4097", "unlimited", "1 "}) {
        INFO(jobs);
        CHECK(
            with({{"KGEN_JOBS", jobs}}).warnings ==
            std::vector<std::string>{std::string("KGEN_JOBS is '") + jobs +
                                     "'; expected a number from 1 to 4096; the default 4 is used"});
        CHECK(with({{"KGEN_JOBS", jobs}}).jobs == 4);
    }
    const auto none = [](const char*) { return std::optional<std::string>(); };
    CHECK(resolve_compile_settings(none, 64).jobs == 8);
    CHECK(resolve_compile_settings(none, 0).jobs == 1);
}

TEST_CASE("fresh: looks for images where compiling is forbidden", "[.fresh]") {
    const TempDir folder;
    CountingCompiler compiler;
    cache::Store store(settings_in(folder));
    const CompileJob job = test::counting_job("source");
    const ImageRequest request = make_request(job, compiler);
    Image image = compiler.compile(job);
    const auto look = [&](const CompileJob& of) -> std::string {
        try {
            return find_or_compile(of, make_request(of, compiler), compiler, store)
                .producer_identity;
        } catch (const CompileError& error) {
            return error.what();
        }
    };
    report(look(job) + "|");
    CompileJob timed = job;
    timed.source = "__TIME__";
    report(look(timed).substr(0, 53) + "|");
    // An image of another compiler may be used.
    store.put(make_entry(job, request.digest, request.parts, {.identity = "another"}, image));
    report(look(job) + "|" + std::to_string(compiler.compiles - 1) + " compiles");
}

TEST_CASE("KGEN_COMPILE=never says at once which kernel is missing", "[image]") {
    const CountingCompiler compiler;
    const std::string digest = make_request(test::counting_job("source"), compiler).digest.to_hex();
    CHECK(run_fresh("fresh: looks for images where compiling is forbidden",
                    {{"KGEN_COMPILE", "never"}})
              .text ==
          "kernel 'k': there is no image for x86_64 in the cache, and KGEN_COMPILE=never forbids "
          "compiling (request " +
              digest +
              ")\n"
              "compile it ahead with 'kgen compile', or unset KGEN_COMPILE|kernel 'k': there is no "
              "image for x86_64 in the cache|another|0 compiles");
}
