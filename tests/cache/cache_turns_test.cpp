// SPDX-License-Identifier: MIT
//
// Waiting for another process to make an entry: who gets the lock, what ends the wait, and what
// happens to the lock of a process that stops, dies or forks.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "store.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace kgen::cache;

namespace {

constexpr auto for_ever = std::chrono::minutes(10);  // only a hanging test waits that long
const Digest request = sha256("request 1");

StoreSettings settings_with(const std::string& root, std::chrono::milliseconds timeout) {
    Warnings ignored;
    StoreSettings settings = settings_for(root, ignored);
    settings.lock_timeout = timeout;
    return settings;
}

bool is_mine(Store& store, EntryLock& lock, const Digest& of = request) {
    return !store.wait_for_turn(of, sample_producer, lock) && lock.is_open();
}

// A process that holds the lock of the request until kill() or the destructor ends it.
class Holder {
public:
    explicit Holder(const std::string& root) {
        std::array<int, 2> ends{};
        REQUIRE(::pipe(ends.data()) == 0);
        process = start_child([&]() -> int {
            Store store(settings_with(root, for_ever));
            EntryLock lock;
            const bool has_it = is_mine(store, lock);
            if (::write(ends[1], has_it ? "y" : "n", 1) != 1) return 1;
            for (;;) ::pause();
        });
        char answer = 0;
        REQUIRE(::read(ends[0], &answer, 1) == 1);
        REQUIRE(answer == 'y');
        ::close(ends[0]);
        ::close(ends[1]);
    }
    ~Holder() {
        if (process != 0) kill();
    }
    void kill() {
        ::kill(process, SIGKILL);
        wait_for(std::exchange(process, 0));
    }
    ::pid_t process = 0;
};

// Waits for the turn, and calls `act` as soon as the store waits.
FindResult wait_while(Store& store, EntryLock& lock, const std::function<void()>& act) {
    std::thread actor([&] {
        while (store.statistics().lock_waits == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        act();
    });
    FindResult result = store.wait_for_turn(request, sample_producer, lock);
    actor.join();
    return result;
}

}  // namespace

TEST_CASE("one who asks alone gets the lock at once, and others get it when it is released") {
    TempDir folder;
    const std::string root = folder / "root";
    Store first(settings_with(root, for_ever));
    Store second(settings_with(root, std::chrono::milliseconds(0)));
    EntryLock lock;
    EntryLock other;
    CHECK(is_mine(first, lock));
    CHECK_FALSE(is_mine(second, other));
    CHECK(second.statistics().lock_waits == 1);
    CHECK(second.statistics().lock_timeouts == 1);
    lock.release();
    CHECK(is_mine(second, other));
    CHECK(second.statistics().lock_timeouts == 1);
    CHECK(first.statistics().lock_waits == 0);

    struct stat status {};
    REQUIRE(::stat((root + "/v1/locks").c_str(), &status) == 0);
    CHECK(status.st_size == 0);
    CHECK((status.st_mode & 07777U) == 0600U);
    CHECK(fs::exists(root + "/CACHEDIR.TAG"));
}

TEST_CASE("locks of different requests do not meet, nor do threads and stores of a process") {
    TempDir folder;
    Store store(settings_with(folder / "root", std::chrono::milliseconds(0)));
    std::vector<EntryLock> locks(20);
    for (std::size_t k = 0; k < locks.size(); ++k) {
        CHECK(is_mine(store, locks[k], sha256("request " + std::to_string(k))));
    }
    EntryLock again;
    CHECK_FALSE(is_mine(store, again, sha256("request 7")));
    // Closing one descriptor of the lock file does not release the lock of another descriptor.
    again = {};
    CHECK_FALSE(is_mine(store, again, sha256("request 8")));
    locks[8].release();
    CHECK(is_mine(store, again, sha256("request 8")));
}

TEST_CASE("an entry that is there before the wait or comes during it ends the wait") {
    TempDir folder;
    const std::string root = folder / "root";
    Store store(settings_with(root, for_ever));
    const Holder holder(root);
    EntryLock lock;
    // The entry is published without the lock, as from a machine that does not share locks.
    const FindResult found = wait_while(store, lock, [&] {
        Store elsewhere(settings_with(root, for_ever));
        CHECK(elsewhere.put(sample_entry("request 1")));
    });
    CHECK(found);
    CHECK_FALSE(lock.is_open());
    CHECK(store.statistics().hits == 1);
    CHECK(store.statistics().lock_timeouts == 0);
    CHECK(store.wait_for_turn(request, sample_producer, lock));
    CHECK(store.statistics().lock_waits == 1);
}

TEST_CASE("a process that stops with the lock is waited for as long as the settings say") {
    TempDir folder;
    const std::string root = folder / "root";
    const Holder holder(root);
    REQUIRE(::kill(holder.process, SIGSTOP) == 0);
    Store store(settings_with(root, std::chrono::milliseconds(100)));
    EntryLock lock;
    CHECK_FALSE(is_mine(store, lock));
    CHECK(store.statistics().lock_timeouts == 1);
    CHECK(store.put(sample_entry("request 1")));
    REQUIRE(::kill(holder.process, SIGCONT) == 0);
}

TEST_CASE("the lock of a process that is killed is free, and nothing of it stays") {
    TempDir folder;
    const std::string root = folder / "root";
    Holder holder(root);
    Store store(settings_with(root, for_ever));
    EntryLock lock;
    CHECK_FALSE(wait_while(store, lock, [&] { holder.kill(); }));
    CHECK(lock.is_open());
    CHECK(store.statistics().lock_waits == 1);
    CHECK(store.statistics().lock_timeouts == 0);
    lock.release();
    Store third(settings_with(root, std::chrono::milliseconds(0)));
    CHECK(is_mine(third, lock));
}

TEST_CASE("a child that was forked with a lock neither frees it nor keeps it") {
    TempDir folder;
    const std::string root = folder / "root";
    Store store(settings_with(root, for_ever));
    EntryLock lock;
    REQUIRE(is_mine(store, lock));
    Store other(settings_with(root, std::chrono::milliseconds(0)));
    EntryLock second;
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const ::pid_t child = start_child([&]() -> int {
        EntryLock own;
        const bool is_busy = !is_mine(other, own);
        lock.release();
        const bool is_still_busy = !is_mine(other, own);
        if (::write(ends[1], is_busy && is_still_busy ? "y" : "n", 1) != 1) return 1;
        for (;;) ::pause();
    });
    char answer = 0;
    REQUIRE(::read(ends[0], &answer, 1) == 1);
    CHECK(answer == 'y');
    CHECK_FALSE(is_mine(other, second));
    lock.release();
    CHECK(is_mine(other, second));
    ::kill(child, SIGKILL);
    wait_for(child);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_CASE("a child with an inherited descriptor does not outlive the lock of its parent") {
    TempDir folder;
    const std::string root = folder / "root";
    Store store(settings_with(root, for_ever));
    EntryLock lock;
    REQUIRE(is_mine(store, lock));
    const ::pid_t child = start_child([]() -> int {
        for (;;) ::pause();
    });
    lock.release();
    Store other(settings_with(root, std::chrono::milliseconds(0)));
    CHECK(is_mine(other, lock));
    ::kill(child, SIGKILL);
    wait_for(child);
}

TEST_CASE("no descriptor of the store reaches another program") {
    TempDir folder;
    Store store(settings_with(folder / "root", for_ever));
    EntryLock lock;
    REQUIRE(is_mine(store, lock));
    int found = 0;
    for (const auto& item : fs::directory_iterator("/proc/self/fd")) {
        std::error_code gone;  // for the directory being listed
        const std::string target = fs::read_symlink(item.path(), gone);
        if (!target.starts_with(folder.path())) continue;
        ++found;
        INFO(target);
        CHECK((::fcntl(std::stoi(item.path().filename()), F_GETFD) & FD_CLOEXEC) != 0);
    }
    CHECK(found == 2);  // the root and the lock file
}

TEST_CASE("where there are no locks every process makes its own entries, with one word about it") {
    TempDir folder;
    const std::string root = folder / "root";
    fs::create_directories(root + "/v1/locks");  // a directory cannot be locked as a file
    fs::permissions(root, fs::perms::owner_all);
    fs::permissions(root + "/v1", fs::perms::owner_all);
    Warnings warnings;
    Warnings details;
    StoreSettings settings = settings_for(root, warnings);
    settings.debug = details.sink();
    Store store(settings);
    for (int k = 0; k < 3; ++k) {
        EntryLock lock;
        CHECK_FALSE(store.wait_for_turn(request, sample_producer, lock));
        CHECK_FALSE(lock.is_open());
    }
    CHECK(warnings.text().empty());
    CHECK(details.text() == "cache: no locks in '" + root +
                                "': Is a directory; processes that need the same kernel each "
                                "compile it\n");
    CHECK(store.put(sample_entry("request 1")));
    CHECK(store.statistics().lock_waits == 0);
}

TEST_CASE("nobody waits for an entry that cannot be stored or is not looked for") {
    TempDir folder;
    const std::string root = folder / "root";
    const Holder holder(root);
    const auto asks = [&](StoreSettings settings) {
        Store store(std::move(settings));
        EntryLock lock;
        store.wait_for_turn(request, sample_producer, lock);
        return store.statistics().lock_waits == 1 || lock.is_open();
    };
    StoreSettings settings = settings_with(root, std::chrono::milliseconds(0));
    CHECK(asks(settings));
    settings.locking = Locking::off;
    CHECK_FALSE(asks(settings));
    settings.locking = Locking::automatic;
    for (const StoreMode mode : {StoreMode::off, StoreMode::read_only, StoreMode::refresh}) {
        settings.mode = mode;
        CHECK_FALSE(asks(settings));
    }
}

TEST_CASE("a store that failed to store lets others pass") {
    TempDir folder;
    const std::string root = folder / "root";
    Store store(settings_with(root, std::chrono::milliseconds(0)));
    EntryLock lock;
    CHECK(is_mine(store, lock));
    lock.release();
    Entry huge = sample_entry("request 1");
    huge.metadata.emplace_back("name", std::string(2'000'000, 'x'));
    CHECK_FALSE(store.put(huge));
    CHECK(store.statistics().store_errors == std::map<int, std::uint64_t>{{EFBIG, 1}});
    CHECK_FALSE(is_mine(store, lock));
    CHECK(store.put(sample_entry("request 2")));
    CHECK(is_mine(store, lock));
}

TEST_CASE("a directory that is removed while locks are held is made anew") {
    TempDir folder;
    const std::string root = folder / "root";
    Store store(settings_with(root, std::chrono::milliseconds(0)));
    EntryLock lock;
    REQUIRE(is_mine(store, lock));
    fs::remove_all(root);
    EntryLock second;
    CHECK(is_mine(store, second));
    CHECK(store.put(sample_entry("request 1")));
    CHECK(store.find(request, sample_producer));
}

TEST_CASE("signals that interrupt system calls change nothing") {
    TempDir folder;
    // This runs in a child, because the timer and its handler belong to a whole process.
    CHECK(said_by_child([&]() -> std::string {
              struct sigaction action {};
              action.sa_handler = [](int) {};  // without SA_RESTART
              ::sigaction(SIGALRM, &action, nullptr);
              const ::itimerval often = {{0, 200}, {0, 200}};
              ::setitimer(ITIMER_REAL, &often, nullptr);
              Warnings warnings;
              Store store(settings_for(folder / "root", warnings));
              for (int k = 0; k < 50; ++k) {
                  const Entry entry = sample_entry("request " + std::to_string(k), 100'000);
                  EntryLock lock;
                  if (!is_mine(store, lock, entry.request)) return "no lock";
                  if (!store.put(entry)) return "not stored";
                  const FindResult found = store.find(entry.request, sample_producer);
                  if (!found || !(*found.entry == entry)) return "not found";
              }
              return "all is well" + warnings.text();
          }) == "all is well");
}
