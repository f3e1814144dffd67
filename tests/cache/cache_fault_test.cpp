// SPDX-License-Identifier: MIT
//
// Calls of the C library that fail, one at a time. The store reports the failure or continues, keeps
// its entries, and leaves nothing incomplete. Each test runs in a fresh process with the fault library.
#include <cerrno>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "digest.hpp"
#include "support/catch.hpp"
#include "support/fault_run.hpp"
#include "support/faulted_store.hpp"
#include "support/sanitizers.hpp"

using namespace kgen::cache;
using kgen::test::Fault;
using kgen::test::FaultAction;
using kgen::test::FaultCall;
using kgen::test::FaultLibrary;

namespace {

constexpr const char* consequence = "; kernels still run, but are compiled again in each process\n";

const std::vector<int> errors_of_disks = {
    ENOSPC, EDQUOT, EIO, EROFS, EFBIG, EACCES, ESTALE, EMFILE, ENOMEM, ENOLCK, EINTR};

// Makes one put with the fault, into a new or an existing store. Returns the problem, or "".
std::string put_with(const Fault& fault, long& calls, bool is_new) {
    FaultedStore place;
    if (!is_new) place.put('a');
    std::optional<Store> store(std::in_place, place.settings());
    Entry entry = faulted_entry('b');
    bool is_stored = false;
    calls = with_fault(fault, [&] { is_stored = store->put(std::move(entry)); });
    const StoreStatistics statistics = store->statistics();
    if (statistics.stores != (is_stored ? 1U : 0U)) return "the wrong number of stores";
    if (statistics.store_failures != (is_stored ? 0U : 1U)) return "the wrong number of failures";
    if (place.warnings.texts().size() > 1) return place.warnings.text();
    if (!is_stored && place.warnings.texts().empty()) return "no warning";
    place.warnings = Warnings();
    // The tag is optional: the entry may be stored without it, and a later put creates it.
    std::string problem = place.disorder();
    if (!problem.empty() && problem != "no tag") return problem;
    if (std::filesystem::exists(place.root) && place.temporary_files() != 0) {
        return "temporary files";
    }
    if (is_stored && !place.has('b')) return "what was stored is not there";
    if (!is_new && !place.has('a')) return "another entry is gone";
    if (!place.put('c') || !place.has('c')) return "the store does not work any more";
    return place.warnings.text();
}

std::string find_with(const Fault& fault, long& calls) {
    FaultedStore place;
    place.put('a');
    Store store(place.settings());
    const Entry entry = faulted_entry('a');
    FindResult found;
    calls = with_fault(fault, [&] { found = store.find(entry.request, sample_producer); });
    if (found && *found.entry != entry) return "a wrong entry";
    if (!place.has('a')) return "the entry is gone";
    return {};
}

// Returns the results of both calls, and whether the entry exists afterwards.
std::string put_and_find(const Fault& fault) {
    FaultedStore place;
    std::string text;
    with_fault(fault, [&] { text = place.put('a') ? "stored" : "not stored"; });
    with_fault(fault, [&] { text += place.has('a') ? ", found" : ", not found"; });
    return text + (place.has('a') ? ", there\n" : ", not there\n");
}

std::string five_puts(const Fault& fault) {
    FaultedStore place;
    Store store(place.settings());
    with_fault(fault, [&] {
        for (const char name : {'a', 'b', 'c', 'd', 'e'}) store.put(faulted_entry(name));
    });
    const StoreStatistics statistics = store.statistics();
    std::string text = place.warnings.text();
    if (const std::size_t at = text.find(place.folder.path()); at != std::string::npos) {
        text.replace(at, text.find('\'', at) - at, "FILE");
    }
    return text + std::to_string(statistics.stores) + " stored, " +
           std::to_string(statistics.store_failures) + " failed, " +
           std::to_string(place.temporary_files()) + " temporary\n";
}

}  // namespace

TEST_CASE("hidden: calls that fail", "[.fresh]") {
    if (!FaultLibrary::find().is_loaded()) return report("the fault library is not loaded");
    report("put: " +
           for_each_call(FaultCall::any, errors_of_disks, [](const Fault& fault, long& calls) {
               return put_with(fault, calls, false);
           }));
    report("first put: " +
           for_each_call(FaultCall::any, errors_of_disks, [](const Fault& fault, long& calls) {
               return put_with(fault, calls, true);
           }));
    report("find: " + for_each_call(FaultCall::any, errors_of_disks, find_with));
}

TEST_CASE("any one call that fails costs at most the entry and one warning") {
    CHECK(run_with_faults("hidden: calls that fail").text ==
          "put: good\nfirst put: good\nfind: good\n");
}

TEST_CASE("hidden: disks that fail", "[.fresh]") {
    if (!FaultLibrary::find().is_loaded()) return report("the fault library is not loaded");
    for (const int error : {ENOSPC, EDQUOT, EIO, EROFS, EFBIG}) {
        for (const FaultCall call : {FaultCall::write, FaultCall::close, FaultCall::rename}) {
            report(five_puts({call, 1, 0, FaultAction::fail, error}));
        }
    }
    report(five_puts({FaultCall::statvfs, 1, 0, FaultAction::full}));
}

TEST_CASE("a disk that takes nothing costs one warning and three attempts") {
    std::string expected;
    for (const char* error : {"No space left on device",
                              "Disk quota exceeded",
                              "Input/output error",
                              "Read-only file system",
                              "File too large"}) {
        for (int call = 0; call < 3; ++call) {
            expected += "cache: cannot store 'FILE': " + std::string(error) + consequence +
                        "0 stored, 3 failed, 0 temporary\n";
        }
    }
    expected +=
        "cache: cannot store 'FILE': the file system is nearly full (2 % of it or 256 MiB are left "
        "free)" +
        std::string(consequence) + "0 stored, 3 failed, 0 temporary\n";
    CHECK(run_with_faults("hidden: disks that fail").text == expected);
}

TEST_CASE("hidden: calls that do a part", "[.fresh]") {
    if (!FaultLibrary::find().is_loaded()) return report("the fault library is not loaded");
    report(put_and_find({FaultCall::write, 1, 0, FaultAction::single}));
    report(put_and_find({FaultCall::read, 1, 0, FaultAction::single}));
    for (const FaultCall call : {FaultCall::write, FaultCall::read, FaultCall::close}) {
        std::string text = "interrupted: ";
        for (long number = 1; number <= 12; ++number) {
            const std::string each = put_and_find({call, number, number, FaultAction::fail, EINTR});
            if (each != "stored, found, there\n") text += std::to_string(number) + ": " + each;
        }
        report(text + "\n");
    }
}

TEST_CASE("short reads and writes and interrupted ones do not show") {
    CHECK(run_with_faults("hidden: calls that do a part").text ==
          "stored, found, there\nstored, found, there\n"
          "interrupted: \ninterrupted: \ninterrupted: \n");
}

TEST_CASE("hidden: little memory", "[.fresh]") {
    if (!FaultLibrary::find().is_loaded()) return report("the fault library is not loaded");
    const std::vector<int> error = {ENOMEM};
    report("put: " + for_each_call(FaultCall::malloc, error, [](const Fault& fault, long& calls) {
               FaultedStore place;
               place.put('a');
               Store store(place.settings());
               Entry entry = faulted_entry('b');
               calls = with_fault(fault, [&] { store.put(std::move(entry)); });
               if (std::string problem = place.disorder(); !problem.empty()) return problem;
               if (place.temporary_files() != 0) return std::string("temporary files");
               if (!place.has('a')) return std::string("another entry is gone");
               return store.put(faulted_entry('b')) && place.has('b')
                          ? std::string()
                          : std::string("the store does not work any more");
           }));
    report("find: " + for_each_call(FaultCall::malloc, error, find_with));
    report("key: " + for_each_call(FaultCall::malloc, error, [](const Fault& fault, long& calls) {
               const std::string value(100, 'x');
               const std::vector<std::string> values(5, value);
               std::optional<Digest> digest;
               calls = with_fault(fault, [&] {
                   try {
                       digest =
                           DigestBuilder(1).add(1, "a", value).add_list(2, "b", values).digest();
                   } catch (const std::bad_alloc&) {
                   }
               });
               const Digest right =
                   DigestBuilder(1).add(1, "a", value).add_list(2, "b", values).digest();
               return !digest || *digest == right ? std::string() : std::string("a wrong key");
           }));
}

TEST_CASE("memory that is missing at any one place costs at most a miss or an entry not stored") {
#if KGEN_SANITIZED
    WARN("SKIPPED, the sanitizers have an allocator of their own");
#else
    CHECK(run_with_faults("hidden: little memory").text == "put: good\nfind: good\nkey: good\n");
#endif
}
