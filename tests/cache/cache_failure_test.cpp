// SPDX-License-Identifier: MIT
//
// Full, read-only or missing disks: kgen warns once, leaves nothing behind, and never throws.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "store.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace kgen::cache;

namespace {

constexpr const char* consequence = "; kernels still run, but are compiled again in each process\n";

// Puts five different entries. Returns the warnings and the counts as text.
std::string put_five(const std::string& root, std::size_t payload = 100) {
    Warnings warnings;
    Store store(settings_for(root, warnings));
    for (int k = 0; k < 5; ++k) {
        store.put(sample_entry("request " + std::to_string(k), payload));
        store.find(sha256("request " + std::to_string(k)), sample_producer);
    }
    const StoreStatistics statistics = store.statistics();
    return warnings.text() + std::to_string(statistics.stores) + " stored, " +
           std::to_string(statistics.store_failures) + " failed, " +
           std::to_string(statistics.hits) + " found";
}

std::string path_of(const std::string& root, const std::string& request) {
    Warnings warnings;
    return Store(settings_for(root, warnings)).entry_path(sha256(request), sample_producer);
}

}  // namespace

TEST_CASE("after three failures in a row nothing more is stored, with one warning in all") {
    TempDir folder;
    const std::string root = folder / "root";
    fs::create_directory(root);
    REQUIRE(::chmod(root.c_str(), 0500) == 0);
    if (::geteuid() == 0) REQUIRE(::chown(root.c_str(), other_user, other_user) == 0);
    if (::geteuid() == 0) REQUIRE(::chown(folder.path().c_str(), other_user, other_user) == 0);
    CHECK(said_by_child([&] {
              drop_root();
              return put_five(root);
          }) == "cache: cannot store '" + path_of(root, "request 0") + "': Permission denied" +
                    consequence + "0 stored, 3 failed, 0 found");
    CHECK(files_below(root).empty());
}

TEST_CASE("a directory that cannot be made turns the store off, with one warning") {
    TempDir folder;
    const std::string parent = folder / "parent";
    fs::create_directory(parent);
    REQUIRE(::chmod(parent.c_str(), 0500) == 0);
    if (::geteuid() == 0) REQUIRE(::chown(parent.c_str(), other_user, other_user) == 0);
    if (::geteuid() == 0) REQUIRE(::chown(folder.path().c_str(), other_user, other_user) == 0);
    CHECK(said_by_child([&] {
              drop_root();
              return put_five(parent + "/root");
          }) ==
          "cache: off: '" + parent +
              "/root' cannot be created: Permission denied; set KGEN_CACHE_DIR to a directory of "
              "your own\n0 stored, 3 failed, 0 found");
}

TEST_CASE("a read-only directory still serves its entries") {
    TempDir folder;
    const std::string root = folder / "root";
    if (::geteuid() == 0) REQUIRE(::chown(folder.path().c_str(), other_user, other_user) == 0);
    CHECK(said_by_child([&] {
              drop_root();
              const std::string made = put_five(root);
              for (const auto& item : fs::recursive_directory_iterator(root)) {
                  if (item.is_directory()) ::chmod(item.path().c_str(), 0500);
              }
              ::chmod(root.c_str(), 0500);
              Warnings warnings;
              Store store(settings_for(root, warnings));
              const bool found = store.find(sha256("request 1"), sample_producer).entry.has_value();
              for (const auto& item : fs::recursive_directory_iterator(root)) {
                  if (item.is_directory()) ::chmod(item.path().c_str(), 0700);
              }
              return made + (found ? ", served" : ", not served") + warnings.text();
          }) == "5 stored, 0 failed, 5 found, served");
}

TEST_CASE(
    "an entry over the process's file size limit is not stored and does not end the process") {
    TempDir folder;
    const std::string root = folder / "root";
    CHECK(said_by_child([&]() -> std::string {
              std::signal(SIGXFSZ, SIG_DFL);
              const rlimit limit = {1000, 1000};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              const std::string said = put_five(root, 5000);
              sigset_t pending;
              ::sigpending(&pending);
              sigset_t mask;
              ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
              return said + (::sigismember(&pending, SIGXFSZ) == 1 ? ", pending" : "") +
                     (::sigismember(&mask, SIGXFSZ) == 1 ? ", blocked" : "");
          }) == "cache: cannot store '" + path_of(root, "request 0") + "': File too large" +
                    consequence + "0 stored, 3 failed, 0 found");
    CHECK(files_below(root) == std::vector<std::string>{root + "/CACHEDIR.TAG"});
}

TEST_CASE("a full disk costs one warning and leaves no half-written file") {
    if (::geteuid() != 0) {
        WARN("SKIPPED, needs root: a small file system of its own");
        return;
    }
    TempDir folder;
    const std::string disk = folder / "disk";
    fs::create_directory(disk);
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k,mode=0700") != 0) {
        WARN("SKIPPED, mount is not allowed here: a small file system of its own");
        return;
    }
    const std::string said = said_by_child([&] { return put_five(disk, 20'000); });
    int entries = 0;
    for (const std::string& file : files_below(disk)) {
        if (!file.ends_with(".kgc")) continue;
        ++entries;
        CHECK(decode_entry(read_file(file)).entry.has_value());
    }
    fs::remove_all(disk + "/v1/stats");
    const std::size_t files = files_below(disk).size();
    REQUIRE(::umount(disk.c_str()) == 0);
    CHECK(said.starts_with("cache: cannot store '" + disk));
    CHECK(said.find("': No space left on device" + std::string(consequence)) != std::string::npos);
    CHECK(said.ends_with(std::to_string(entries) + " stored, " + std::to_string(5 - entries) +
                         " failed, " + std::to_string(entries) + " found"));
    CHECK(entries >= 1);
    CHECK(entries <= 4);
    CHECK(files == static_cast<std::size_t>(entries) + 1);  // plus CACHEDIR.TAG
}

TEST_CASE("a success in between starts the count of failures anew") {
    TempDir folder;
    Warnings warnings;
    Store store(settings_for(folder / "root", warnings));
    Entry too_big = sample_entry("too big");
    too_big.metadata = {{"big", std::string(1 << 20, 'x')}};
    for (int round = 0; round < 3; ++round) {
        CHECK_FALSE(store.put(too_big));
        CHECK_FALSE(store.put(too_big));
        CHECK(store.put(sample_entry()));
    }
    CHECK(store.statistics().store_failures == 6);
    CHECK(warnings.text() ==
          "cache: cannot store '" + store.entry_path(too_big.request, sample_producer) +
              "': cache entry: bytes of metadata: got 1048624, at most 1048576 fit" + consequence);
}

TEST_CASE("a process out of file descriptors misses, and finds again when it has some") {
    TempDir folder;
    const std::string root = folder / "root";
    CHECK(said_by_child([&] {
              Warnings warnings;
              Store store(settings_for(root, warnings));
              store.put(sample_entry("request 1"));
              // UndefinedBehaviorSanitizer opens a pipe when it meets the first object of a class.
              store.find(sha256("request 2"));
              const rlimit limit = {64, 64};
              ::setrlimit(RLIMIT_NOFILE, &limit);
              std::vector<int> taken;
              for (int file = 0; (file = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) {
                  taken.push_back(file);
              }
              Store late(settings_for(root, warnings));
              std::string said;
              for (Store* each : {&store, &late}) {
                  said += std::string(to_text(each->find(sha256("request 1")).reason)) + "; ";
                  const FindResult named = each->find(sha256("request 1"), sample_producer);
                  said += std::string(to_text(named.reason)) + "; ";
              }
              for (const int file : taken) ::close(file);
              for (Store* each : {&store, &late}) {
                  said += std::string(to_text(each->find(sha256("request 1")).reason)) + "; ";
              }
              return said + warnings.text();
          }) ==
          "the entry cannot be read; the entry cannot be read; the entry cannot be read; the entry "
          "cannot be "
          "read; a hit; a hit; ");
}

TEST_CASE("a warning that cannot be given stops nothing") {
    TempDir folder;
    write_file(folder / "file", {});
    Warnings unused;
    StoreSettings settings = settings_for(folder / "file", unused);
    settings.warn = [](const std::string&) { throw std::runtime_error("the log is broken"); };
    Store store(settings);
    CHECK_FALSE(store.put(sample_entry()));
    settings.warn = nullptr;
    Store silent(settings);
    CHECK_FALSE(silent.put(sample_entry()));
}
