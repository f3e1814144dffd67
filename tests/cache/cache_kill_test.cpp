// SPDX-License-Identifier: MIT
//
// Processes that are killed before and after each of their calls of the C library. They leave a
// sound store, and the next process can do what the killed one was doing. Each test runs in a
// fresh process with the fault library, which forks a child for each kill.
#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "disk_totals.hpp"
#include "store_root.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/fault_run.hpp"
#include "support/faulted_store.hpp"
#include "support/sanitizers.hpp"

using namespace kgen::cache;
using kgen::test::Fault;
using kgen::test::FaultAction;
using kgen::test::FaultCall;
using kgen::test::FaultLibrary;

namespace {

struct Scenario {
    std::string name;
    std::function<void(FaultedStore&)> prepare;
    std::function<void(FaultedStore&)> act;
    // Returns whether the store is as after an undisturbed act.
    std::function<bool(FaultedStore&)> is_done;
    std::string damaged;  // entries that are damaged from the start
};

void put_all(FaultedStore& store, const std::string& names) {
    for (const char name : names) store.put(name);
    std::int64_t age_s = 600;
    for (const char name : names) store.set_age(store.path(name), age_s--);
}

void open_and(FaultedStore& store, const std::function<void(int)>& work) {
    const RootResult root = open_root(store.root, TrustMode::owner, CreateRoot::no);
    if (root.directory.is_open()) work(root.directory.get());
}

const std::vector<Scenario>& scenarios() {
    static const EvictionBounds bounds = {5 * 4000, 5};
    static const std::vector<Scenario> list = {
        {"the first put",
         [](FaultedStore&) {},
         [](FaultedStore& store) { store.put('a'); },
         [](FaultedStore& store) { return store.has('a'); },
         ""},
        {"a put in another's place",
         [](FaultedStore& store) { put_all(store, "ab"); },
         [](FaultedStore& store) { store.put('a'); },
         [](FaultedStore& store) { return store.has('a') && store.has('b'); },
         ""},
        {"a pack",
         [](FaultedStore& store) { store.put('a'); },
         [](FaultedStore& store) { store.put_pack("bc"); },
         [](FaultedStore& store) { return store.has('a') && store.has('b') && store.has('c'); },
         ""},
        {"eviction",
         [](FaultedStore& store) {
             put_all(store, "abcdef");
             store.set_age(store.put_pack("gh"), 7200);
         },
         [](FaultedStore& store) { open_and(store, [](int root) { evict(root, bounds); }); },
         [](FaultedStore& store) {
             return !store.has('a') && !store.has('b') && store.has('f') && !store.has('g');
         },
         ""},
        {"clear",
         [](FaultedStore& store) {
             put_all(store, "abc");
             store.damage('b');
             store.has('b');  // moves it to the quarantine
         },
         [](FaultedStore& store) {
             open_and(store, [](int root) { clear_store(root, Versions::all, DryRun::no); });
         },
         [](FaultedStore& store) {
             return store.with_root([](int root) {
                 return scan_entries(root).files.empty() && scan_quarantine(root).files.empty();
             });
         },
         ""},
        {"verify and repair",
         [](FaultedStore& store) {
             put_all(store, "abcde");
             store.damage('b');
             store.damage('d');
         },
         [](FaultedStore& store) {
             open_and(store, [](int root) { verify_store(root, TrustMode::owner, Repair::yes); });
         },
         [](FaultedStore& store) {
             return store.with_root([](int root) {
                 const VerifyResult result = verify_store(root, TrustMode::owner, Repair::no);
                 return result.sound == 3 && result.problems.empty();
             });
         },
         "bd"},
        {"totals",
         [](FaultedStore& store) { store.put('a'); },
         [](FaultedStore& store) {
             open_and(store, [](int root) { add_totals(root, {{"killed", 1}}); });
         },
         [](FaultedStore& store) {
             const Totals totals = store.with_root([](int root) { return read_totals(root); });
             const auto found = totals.find("killed");
             return found != totals.end() && found->second >= 1 && found->second <= 2;
         },
         ""},
    };
    return list;
}

// Kills a child at that call. Returns false if the child ended before it.
bool kill_at(const FaultLibrary& library,
             const Scenario& scenario,
             FaultedStore& store,
             long number,
             FaultAction action) {
    const int status = wait_for(start_child([&] {
        const Fault fault{FaultCall::any, number, number, action};
        library.arm(&fault);
        scenario.act(store);
        return 0;
    }));
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

std::string check_after(const Scenario& scenario, FaultedStore& store) {
    if (std::string problem = store.disorder(scenario.damaged); !problem.empty()) return problem;
    scenario.act(store);
    if (!scenario.is_done(store)) return "the next process does not do it";
    if (!store.put('z') || !store.has('z')) return "the store does not work any more";
    return store.sweep();
}

// Returns "sound", or the problem and the call at which the child was killed. A process under a
// sanitizer forks slowly, so there it is killed at every seventh call.
std::string run(const FaultLibrary& library, const Scenario& scenario, FaultAction action) {
    for (long number = 1; number < 10'000; number += is_sanitized ? 7 : 1) {
        FaultedStore store;
        scenario.prepare(store);
        store.warnings = Warnings();
        const bool is_killed = kill_at(library, scenario, store, number, action);
        std::string problem = check_after(scenario, store);
        if (problem.empty()) problem = store.warnings.text();
        if (!problem.empty()) return "at call " + std::to_string(number) + ": " + problem;
        if (!is_killed) return number > 8 ? "sound" : "too few calls";
    }
    return "no end";
}

}  // namespace

TEST_CASE("hidden: killed at each call", "[.fresh]") {
    const FaultLibrary library = FaultLibrary::find();
    if (!library.is_loaded()) return report("the fault library is not loaded");
    for (const Scenario& scenario : scenarios()) {
        for (const FaultAction action : {FaultAction::kill_before, FaultAction::kill_after}) {
            report(scenario.name +
                   (action == FaultAction::kill_before ? ", before: " : ", after: ") +
                   run(library, scenario, action) + "\n");
        }
    }
}

TEST_CASE("a process killed at any of its calls leaves a store that is sound") {
    std::string expected;
    for (const Scenario& scenario : scenarios()) {
        expected += scenario.name + ", before: sound\n" + scenario.name + ", after: sound\n";
    }
    CHECK(run_with_faults("hidden: killed at each call").text == expected);
}
