// SPDX-License-Identifier: MIT
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
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

const Digest request = sha256("request 1");

bool is_root(const char* what) {
    if (::geteuid() == 0) return true;
    WARN("SKIPPED, needs root: " << what);
    return false;
}

void change_mode(const std::string& path, mode_t mode) {
    REQUIRE(::chmod(path.c_str(), mode) == 0);
}

void change_owner(const std::string& path, uid_t user) {
    REQUIRE(::lchown(path.c_str(), user, static_cast<gid_t>(-1)) == 0);
}

mode_t mode_of(const std::string& path) {
    struct stat status {};
    REQUIRE(::lstat(path.c_str(), &status) == 0);
    return status.st_mode & 07777U;
}

// Returns the warnings of a store on that root when it stores and finds an entry, or "works" if it does both.
std::string try_store(const std::string& root, TrustMode trust = TrustMode::owner) {
    Warnings warnings;
    Store store(settings_for(root, warnings, StoreMode::read_write, trust));
    const bool found_before = store.find(request).entry.has_value();
    const bool stored = store.put(sample_entry("request 1"));
    const bool found = store.find(request).entry.has_value();
    if (warnings.text().empty() && stored && found) return "works";
    return warnings.text() + (found_before || stored || found ? "(yet it did something)" : "");
}

}  // namespace

TEST_CASE("directories and files are the owner's alone whatever the umask") {
    for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{077}, mode_t{0777}}) {
        INFO("umask " << std::oct << mask);
        TempDir folder;
        if (::geteuid() == 0) change_owner(folder.path(), other_user);
        // This runs in a child without root's rights, because umask 0777 also removes the owner's rights.
        const std::string said = said_by_child([&] {
            drop_root();
            ::umask(mask);
            return try_store(folder / "a/root");
        });
        CHECK(said == "works");
        int directories = 0;
        for (const auto& item : fs::recursive_directory_iterator(folder.path())) {
            INFO(item.path());
            directories += item.is_directory() ? 1 : 0;
            CHECK(mode_of(item.path()) == (item.is_directory() ? 0700U : 0600U));
        }
        CHECK(directories == 5);  // a, root, v1, the shard, stats
    }
}

TEST_CASE("a directory that others may write is refused, and the way out works") {
    for (const mode_t mode :
         {mode_t{0770}, mode_t{0707}, mode_t{0777}, mode_t{01777}, mode_t{02775}}) {
        TempDir folder;
        const std::string root = folder / "root";
        fs::create_directory(root);
        change_mode(root, mode);
        std::string digits(5, ' ');
        digits.resize(static_cast<std::size_t>(std::snprintf(digits.data(), 5, "%04o", mode)));
        CHECK(try_store(root) == "cache: off: '" + root + "' may be written by others (mode " +
                                     digits + "); run 'chmod go-w " + root +
                                     "', or set KGEN_CACHE_TRUST=any\n");
        CHECK(files_below(root).empty());
        CHECK(try_store(root, TrustMode::any) == "works");
        change_mode(root, mode & ~022U);
        CHECK(try_store(root) == "works");
    }
}

TEST_CASE("a parent that others may write is refused unless it is sticky") {
    TempDir folder;
    const std::string parent = folder / "parent";
    fs::create_directories(parent);
    change_mode(parent, 0777);
    const std::string refusal = "cache: off: '" + parent +
                                "' may be written by others (mode 0777); run 'chmod go-w " +
                                parent + "', or set KGEN_CACHE_TRUST=any\n";
    CHECK(try_store(parent + "/root") == refusal);
    CHECK_FALSE(fs::exists(parent + "/root"));
    change_mode(parent, 01777);
    CHECK(try_store(parent + "/root") == "works");
    change_mode(parent, 0777);
    CHECK(try_store(parent + "/root") == refusal);
}

TEST_CASE("a sticky directory open to all is itself no place for entries, however it is spelt") {
    TempDir folder;
    const std::string open = folder / "open";
    fs::create_directory(open);
    change_mode(open, 01777);
    for (const char* spelling : {"", "/", "/.", "/./", "/x/..", "/../open"}) {
        INFO(spelling);
        fs::create_directory(open + "/x");
        const std::string said = try_store(open + spelling);
        CHECK(said == "cache: off: '" + open +
                          "' may be written by others (mode 1777); run 'chmod go-w " + open +
                          "', or set KGEN_CACHE_TRUST=any\n");
    }
    CHECK(files_below(open).empty());
}

TEST_CASE("a directory or parent of another user is refused") {
    if (!is_root("another user's directory")) return;
    for (const char* foreign : {"root", "parent"}) {
        TempDir folder;
        const std::string root = folder / "parent/root";
        fs::create_directories(root);
        change_mode(root, 0700);
        const std::string path = std::string(foreign) == "root" ? root : (folder / "parent");
        change_mode(path, 0755);
        change_owner(path, other_user);
        CHECK(try_store(root) ==
              "cache: off: '" + path +
                  "' belongs to user 65534; expected user 0; set KGEN_CACHE_DIR to "
                  "a directory of your own, or KGEN_CACHE_TRUST=any\n");
        CHECK(files_below(root).empty());
        CHECK(try_store(root, TrustMode::any) == "works");
    }
}

TEST_CASE("root's directories are trusted, but not another user's below them") {
    if (!is_root("directories of two users")) return;
    TempDir folder;
    change_mode(folder.path(), 0755);
    fs::create_directory(folder / "mine");
    change_owner(folder / "mine", other_user);
    change_mode(folder / "mine", 0755);
    CHECK(said_by_child([&] {
              drop_root();
              return try_store(folder / "mine/root");
          }) == "works");
    fs::create_directory(folder / "theirs");
    change_mode(folder / "theirs", 0755);
    change_owner(folder / "theirs", 1234);
    CHECK(said_by_child([&] {
              drop_root();
              return try_store(folder / "theirs/root");
          }) ==
          "cache: off: '" + folder.path() +
              "/theirs' belongs to user 1234; expected user 65534 or root; set KGEN_CACHE_DIR to a "
              "directory of your own, or KGEN_CACHE_TRUST=any\n");
}

TEST_CASE("links on the way are followed if this user or root made them") {
    TempDir folder;
    fs::create_directories(folder / "real/deep");
    fs::create_directory_symlink(folder / "real", folder / "absolute");
    fs::create_directory_symlink("absolute/deep", folder / "relative");
    CHECK(try_store(folder / "relative/root") == "works");
    CHECK(fs::exists(folder / "real/deep/root/CACHEDIR.TAG"));

    fs::create_directory_symlink("circle", folder / "circle");
    CHECK(try_store(folder / "circle/root") ==
          "cache: off: '" + folder.path() +
              "/circle' cannot be followed: Too many levels of symbolic "
              "links; set KGEN_CACHE_DIR to a directory of your own\n");

    if (!is_root("another user's link")) return;
    REQUIRE(::lchown((folder / "absolute").c_str(), other_user, other_user) == 0);
    CHECK(try_store(folder / "absolute/root") ==
          "cache: off: '" + folder.path() +
              "/absolute' belongs to user 65534; expected user 0; set "
              "KGEN_CACHE_DIR to a directory of your own, or KGEN_CACHE_TRUST=any\n");
}

TEST_CASE("a link to a directory that others may write does not hide that") {
    TempDir folder;
    fs::create_directories(folder / "open/root");
    change_mode(folder / "open", 0777);
    fs::create_directory_symlink(folder / "open/root", folder / "link");
    CHECK(try_store(folder / "link") ==
          "cache: off: '" + folder.path() +
              "/open' may be written by others (mode 0777); run 'chmod "
              "go-w " +
              folder.path() + "/open', or set KGEN_CACHE_TRUST=any\n");
}

TEST_CASE("an entry that belongs to another user is not used") {
    if (!is_root("another user's file")) return;
    TempDir folder;
    Warnings warnings;
    Store store(settings_for(folder / "root", warnings));
    REQUIRE(store.put(sample_entry("request 1")));
    const std::string path = store.entry_path(request, sample_producer);
    change_owner(path, other_user);
    const FindResult found = store.find(request, sample_producer);
    CHECK(found.reason == MissReason::foreign_owner);
    CHECK(found.detail == "the file belongs to user 65534");
    CHECK(warnings.text() == "cache: dropped '" + path + "': the file belongs to user 65534\n");
    CHECK_FALSE(fs::exists(path));
    REQUIRE(store.put(sample_entry("request 1")));
    CHECK(store.find(request, sample_producer));

    change_owner(path, other_user);
    Store trusting(settings_for(folder / "root", warnings, StoreMode::read_write, TrustMode::any));
    CHECK(trusting.find(request, sample_producer));
}

TEST_CASE("a root that is no directory turns the store off") {
    TempDir folder;
    write_file(folder / "file", to_bytes("text"));
    for (const std::string& root : {folder / "file", folder / "file/root"}) {
        CHECK(try_store(root) == "cache: off: '" + folder.path() +
                                     "/file' is not a directory; set KGEN_CACHE_DIR to one\n");
    }
    CHECK(as_text(read_file(folder / "file")) == "text");
}

TEST_CASE("a path that is too long turns the store off") {
    TempDir folder;
    const std::string name(300, 'n');
    CHECK(try_store(folder / name) ==
          "cache: off: '" + folder.path() + '/' + name +
              "' cannot be opened: File name too long; set KGEN_CACHE_DIR "
              "to a directory of your own\n");
}

TEST_CASE("a group may share a directory of root's, and nobody else gets in") {
    if (!is_root("members of a group")) return;
    constexpr gid_t group = 4321;
    TempDir folder;
    change_mode(folder.path(), 0755);
    const std::string root = folder / "root";
    fs::create_directory(root);
    REQUIRE(::chown(root.c_str(), 0, group) == 0);
    change_mode(root, 02770);
    // Returns the result of `act` for a user with that number and those groups.
    const auto said_to = [&](uid_t user, std::vector<gid_t> groups, const auto& act) {
        return said_by_child([&]() -> std::string {
            if (::setgroups(groups.size(), groups.data()) != 0 || ::setgid(user) != 0 ||
                ::setuid(user) != 0) {
                return "(cannot become the user)";
            }
            ::umask(0077);
            return act();
        });
    };
    const auto tries = [&] { return try_store(root, TrustMode::group); };
    CHECK(said_to(1001, {group}, tries) == "works");
    for (const auto& item : fs::recursive_directory_iterator(root)) {
        INFO(item.path());
        struct stat status {};
        REQUIRE(::stat(item.path().c_str(), &status) == 0);
        CHECK((status.st_mode & 07777U) == (item.is_directory() ? 02770U : 0660U));
        CHECK(status.st_gid == group);
        CHECK(status.st_uid == 1001);
    }
    // Another member finds the entry, replaces it, and adds others in the same directories.
    CHECK(said_to(1002, {group}, [&]() -> std::string {
              Warnings warnings;
              Store store(settings_for(root, warnings, StoreMode::read_write, TrustMode::group));
              if (!store.find(request, sample_producer)) return "not found";
              if (!store.put(sample_entry("request 1"))) return "not replaced";
              if (!store.put(sample_entry("request 2"))) return "not stored";
              EntryLock lock;
              store.wait_for_turn(sha256("request 3"), sample_producer, lock);
              if (!lock.is_open()) return "no lock";
              return warnings.text();
          }) == "");
    CHECK(mode_of(root + "/v1/locks") == 0660U);
    CHECK(said_to(1003, {}, tries) == "cache: off: '" + root +
                                          "' may be written by group 4321 (mode 2770), and this "
                                          "user is not in it; set KGEN_CACHE_DIR to another "
                                          "directory\n");
    change_mode(root, 02777);
    CHECK(said_to(1001, {group}, tries) ==
          "cache: off: '" + root + "' may be written by others (mode 2777); run 'chmod o-w " +
              root + "', or set KGEN_CACHE_TRUST=any\n");
    change_mode(root, 02770);
    CHECK(said_to(1001, {group}, [&] { return try_store(root); }) ==
          "cache: off: '" + root + "' may be written by others (mode 2770); run 'chmod go-w " +
              root + "', or set KGEN_CACHE_TRUST=any\n");
    // An entry of a user outside of the group, and one that everyone may write.
    Warnings unused;
    const std::string path = Store(settings_for(root, unused)).entry_path(request, sample_producer);
    const auto finds = [&]() -> std::string {
        Warnings warnings;
        Store store(settings_for(root, warnings, StoreMode::read_only, TrustMode::group));
        return std::string(to_text(store.find(request, sample_producer).reason));
    };
    CHECK(said_to(1002, {group}, finds) == "a hit");
    REQUIRE(::chown(path.c_str(), 1234, 1234) == 0);
    change_mode(path, 0644);
    CHECK(said_to(1002, {group}, finds) == "the entry belongs to another user");
    REQUIRE(::chown(path.c_str(), 1001, group) == 0);
    change_mode(path, 0666);
    CHECK(said_to(1002, {group}, finds) == "the entry belongs to another user");
}

TEST_CASE("a directory for a group is made for it") {
    TempDir folder;
    CHECK(try_store(folder / "a/root", TrustMode::group) == "works");
    CHECK(mode_of(folder / "a") == 0750U);
    CHECK(mode_of(folder / "a/root") == 02770U);
    CHECK(mode_of(folder / "a/root/v1") == 02770U);
}
