// SPDX-License-Identifier: MIT
//
// Threads, processes and kills. Readers hold no lock, so the tests check that every entry they see is whole.
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "store.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/memory_folder.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace kgen::cache;

namespace {

// The entry has about 200 kB, so a kill can interrupt the writing of its bytes.
Entry big_entry(int k) {
    return sample_entry("request " + std::to_string(k), 200'000);
}

// Returns whether the k-th entry of a directory is found unchanged.
bool is_found(Store& store, int k) {
    const FindResult found = store.find(big_entry(k).request, sample_producer);
    return found && *found.entry == big_entry(k);
}

// Checks that every file is a whole entry under its own name, or a file that no reader opens.
// Returns the number of entries.
int check_files(const std::string& root) {
    int entries = 0;
    for (const std::string& path : files_below(root)) {
        INFO(path);
        const std::string name = fs::path(path).filename();
        if (name == "CACHEDIR.TAG" || fs::path(path).parent_path().filename() == "stats") continue;
        if (name.starts_with(".") && name.ends_with(".tmp")) continue;
        REQUIRE(name.ends_with(".kgc"));
        const DecodeResult decoded = decode_entry(read_file(path));
        CHECK(to_text(decoded.problem) == "no problem");
        REQUIRE(decoded.entry.has_value());
        const std::string hex = decoded.entry->request.to_hex();
        CHECK(path.ends_with("/v1/" + hex.substr(0, 2) + '/' + hex.substr(2) + '-' +
                             sha256(sample_producer).short_hex() + ".kgc"));
        ++entries;
    }
    return entries;
}

}  // namespace

TEST_CASE("threads that put and find one entry always find it whole") {
    TempDir folder;
    Warnings warnings;
    Store store(settings_for(folder / "root", warnings));
    std::atomic<int> failures{0};
    std::barrier start(8);
    std::vector<std::thread> threads;
    for (int k = 0; k < 8; ++k) {
        threads.emplace_back([&] {
            start.arrive_and_wait();
            for (int round = 0; round < 20; ++round) {
                if (!store.put(big_entry(0))) ++failures;
                if (!is_found(store, 0)) ++failures;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(failures == 0);
    CHECK(check_files(folder.path()) == 1);
    CHECK(store.statistics().stores == 160);
    CHECK(store.statistics().hits == 160);
    CHECK(warnings.text().empty());
}

TEST_CASE("processes that put and find one entry always find it whole") {
    TempDir folder;
    std::vector<::pid_t> children;
    for (int k = 0; k < 4; ++k) {
        children.push_back(start_child([&] {
            // The first children also create the directories at the same time.
            Warnings warnings;
            Store store(settings_for(folder / "a/root", warnings));
            for (int round = 0; round < 20; ++round) {
                if (!store.put(big_entry(0)) || !is_found(store, 0)) return 1;
            }
            return warnings.text().empty() ? 0 : 2;
        }));
    }
    for (const ::pid_t child : children) {
        const int status = wait_for(child);
        CHECK(ended_well(status));
    }
    CHECK(check_files(folder.path()) == 1);
}

TEST_CASE("readers of an entry that others keep damaging never get a wrong one") {
    TempDir folder;
    const std::string root = folder / "root";
    Warnings warnings;
    Store store(settings_for(root, warnings));
    REQUIRE(store.put(big_entry(0)));
    const std::string path = store.entry_path(big_entry(0).request, sample_producer);
    const ::pid_t vandal = start_child([&] {
        std::vector<std::byte> bytes = read_file(path);
        for (std::size_t round = 0; round < 60; ++round) {
            bytes[round * 997 % bytes.size()] ^= std::byte{16};
            write_file(path, bytes);  // in place: a reader may see a part of it
            std::error_code gone;     // the reader moved it to the quarantine
            fs::resize_file(path, bytes.size() / (1 + round % 3), gone);
        }
        return 0;
    });
    int wrong = 0;
    for (int round = 0; round < 60; ++round) {
        const FindResult found = store.find(big_entry(0).request, sample_producer);
        if (found && !(*found.entry == big_entry(0))) ++wrong;
        store.put(big_entry(0));
    }
    CHECK(ended_well(wait_for(vandal)));
    CHECK(wrong == 0);
    store.find(big_entry(0).request, sample_producer);
    REQUIRE(store.put(big_entry(0)));
    CHECK(is_found(store, 0));
    CHECK(warnings.texts().size() <= 1);
}

TEST_CASE("an entry that others keep putting and removing is found whole or not at all") {
    TempDir folder;
    const std::string root = folder / "root";
    Warnings warnings;
    Store store(settings_for(root, warnings));
    const std::string path = store.entry_path(big_entry(0).request, sample_producer);
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const ::pid_t writer = start_child([&]() -> int {
        Warnings own;
        Store other(settings_for(root, own));
        if (!other.put(big_entry(0)) || ::write(ends[1], "x", 1) != 1) return 1;
        for (;;) {
            ::unlink(path.c_str());
            if (!other.put(big_entry(0))) return 1;
        }
    });
    char byte = 0;
    REQUIRE(::read(ends[0], &byte, 1) == 1);
    int wrong = 0;
    for (int round = 0; round < 300; ++round) {
        const FindResult found = store.find(big_entry(0).request, sample_producer);
        const bool is_right = found ? *found.entry == big_entry(0)
                                    : found.reason == MissReason::absent ||
                                          found.reason == MissReason::other_producer;
        if (!is_right) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(::waitpid(writer, nullptr, WNOHANG) == 0);  // the writer still runs, so no put failed
    ::kill(writer, SIGKILL);
    wait_for(writer);
    ::close(ends[0]);
    ::close(ends[1]);
    CHECK(warnings.text().empty());
    CHECK(store.statistics().quarantined == 0);
}

TEST_CASE("processes killed while they put leave whole entries and temporary files only") {
    TempDir folder;
    const std::string root = folder / "root";
    std::mt19937 random(99);
    for (int round = 0; round < 30; ++round) {
        std::array<int, 2> ends{};
        REQUIRE(::pipe(ends.data()) == 0);
        const ::pid_t child = start_child([&]() -> int {
            Warnings warnings;
            Store store(settings_for(root, warnings));
            for (int k = 0;; ++k) {
                store.put(big_entry(k % 8));
                if (::write(ends[1], "x", 1) != 1) return 1;
            }
        });
        // At least one put is done. The kill interrupts a later one.
        char byte = 0;
        CHECK(::read(ends[0], &byte, 1) == 1);
        ::usleep(static_cast<::useconds_t>(random() % 3000));
        REQUIRE(::kill(child, SIGKILL) == 0);
        wait_for(child);
        ::close(ends[0]);
        ::close(ends[1]);
    }
    CHECK(check_files(root) >= 1);
    Warnings warnings;
    Store store(settings_for(root, warnings));
    for (int k = 0; k < 8; ++k) {
        INFO(k);
        store.find(big_entry(k).request, sample_producer);
        REQUIRE(store.put(big_entry(k)));
        CHECK(is_found(store, k));
    }
    CHECK(warnings.text().empty());
}

TEST_CASE("a put killed at any one of its system calls leaves a whole entry or none") {
    // The child stops before and after each of its system calls. It is killed at the n-th stop.
    const ScopedVariable place("TMPDIR", memory_folder());
    bool ended_by_itself = false;
    int stops = 0;
    for (int limit = 1; !ended_by_itself && limit < 1000; ++limit) {
        TempDir folder;
        const std::string root = folder / "root";
        const ::pid_t child = start_child([&] {
            Warnings warnings;
            Store store(settings_for(root, warnings));
            const Entry entry = sample_entry("request 1");
            if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) return 77;
            ::raise(SIGSTOP);
            return store.put(entry) ? 0 : 1;
        });
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        if (WIFEXITED(status)) {
            REQUIRE(WEXITSTATUS(status) == 77);
            WARN("SKIPPED, tracing a child is not allowed here: kills at each system call");
            return;
        }
        for (stops = 0; stops < limit && WIFSTOPPED(status); ++stops) {
            REQUIRE(::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) == 0);
            REQUIRE(::waitpid(child, &status, 0) == child);
        }
        ended_by_itself = ended_well(status);
        if (WIFSTOPPED(status)) {
            ::kill(child, SIGKILL);
            wait_for(child);
        }
        INFO("killed at stop " << limit);
        const int entries = check_files(root);
        Warnings warnings;
        Store store(settings_for(root, warnings));
        const FindResult found = store.find(sha256("request 1"), sample_producer);
        CHECK(found.entry.has_value() == (entries == 1));
        if (found) CHECK(*found.entry == sample_entry("request 1"));
        CHECK(store.put(sample_entry("request 1")));
        CHECK(store.find(sha256("request 1"), sample_producer));
        CHECK(warnings.text().empty());
    }
    CHECK(ended_by_itself);
    CHECK(stops > 20);
}
