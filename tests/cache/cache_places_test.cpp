// SPDX-License-Identifier: MIT
//
// Read-only places: they are searched after the root, trusted like it, and never changed.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
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

const Digest request = sha256("request 1");

// Creates a directory with entries of these requests. Their producer is not a compiler of this machine.
std::string installed(const std::string& root, const std::vector<std::string>& requests) {
    Warnings warnings;
    Store store(settings_for(root, warnings));
    for (const std::string& each : requests) {
        Entry entry = sample_entry(each);
        entry.producer_identity = "compiled elsewhere";
        REQUIRE(store.put(entry));
    }
    REQUIRE(warnings.text().empty());
    return root;
}

// Returns every file below the root with its bytes, mode and time.
std::map<std::string, std::string> state_of(const std::string& root) {
    std::map<std::string, std::string> state;
    for (const std::string& path : files_below(root)) {
        struct stat status {};
        REQUIRE(::stat(path.c_str(), &status) == 0);
        state[path] = std::string(as_text(read_file(path))) + std::to_string(status.st_mode) + " " +
                      std::to_string(status.st_mtim.tv_sec) + "." +
                      std::to_string(status.st_mtim.tv_nsec);
    }
    return state;
}

// A place in memory, like a pack that is embedded in a program.
class MemoryPlace : public ReadOnlyPlace {
public:
    explicit MemoryPlace(Entry entry) : entry_(std::move(entry)) {}
    std::string name() const override { return "memory"; }
    FindResult find(const Digest& wanted, const Filter& is_wanted) override {
        if (wanted != entry_.request || !is_wanted(entry_)) return make_miss(MissReason::absent);
        FindResult hit;
        hit.entry = entry_;
        hit.path = "memory";
        hit.tier = Tier::read_only;
        return hit;
    }

private:
    Entry entry_;
};

}  // namespace

TEST_CASE("an entry is looked for in the root, then in the places in their order") {
    TempDir folder;
    Warnings warnings;
    StoreSettings settings = settings_for(folder / "root", warnings);
    settings.read_only = {installed(folder / "a", {"request 1"}),
                          installed(folder / "b", {"request 1", "request 2"})};
    const auto before = state_of(folder / "b");
    Store store(settings);
    FindResult found = store.find(request, sample_producer);
    REQUIRE(found);
    CHECK(found.tier == Tier::read_only);
    CHECK(found.path.starts_with(folder / "a/v1/"));
    CHECK(found.entry->producer_identity == "compiled elsewhere");
    found = store.find(sha256("request 2"), sample_producer);
    REQUIRE(found);
    CHECK(found.path.starts_with(folder / "b/v1/"));
    CHECK(store.find(sha256("request 3"), sample_producer).reason == MissReason::absent);

    REQUIRE(store.put(sample_entry("request 1")));
    found = store.find(request, sample_producer);
    REQUIRE(found);
    CHECK(found.tier == Tier::root);
    CHECK(store.statistics().hits == 1);
    CHECK(store.statistics().read_only_hits == 2);
    CHECK(warnings.text().empty());
    CHECK(state_of(folder / "b") == before);
}

TEST_CASE("places serve where there is no root, but not where the cache is refreshed") {
    TempDir folder;
    Warnings warnings;
    StoreSettings settings = settings_for("", warnings, StoreMode::off);
    settings.read_only = {installed(folder / "a", {"request 1"})};
    CHECK(Store(settings).find(request, sample_producer));
    settings.mode = StoreMode::refresh;
    settings.root = folder / "root";
    CHECK(Store(settings).find(request, sample_producer).reason == MissReason::refreshing);
    CHECK(warnings.text().empty());
}

TEST_CASE("a rejected entry of a place is out of use, and stays where it is") {
    TempDir folder;
    Warnings warnings;
    StoreSettings settings = settings_for(folder / "root", warnings);
    settings.read_only = {installed(folder / "a", {"request 1"})};
    const auto before = state_of(folder / "a");
    Store store(settings);
    const FindResult found = store.find(request, sample_producer);
    REQUIRE(found);
    store.reject(request, found.entry->producer_identity, "no good", found.tier, found.path);
    CHECK(store.find(request, sample_producer).reason == MissReason::absent);
    CHECK(warnings.text() == "cache: ignored '" + found.path + "': no good\n");
    CHECK(state_of(folder / "a") == before);
    // A new entry takes the place of the rejected one.
    Entry made = sample_entry("request 1");
    made.producer_identity = "compiled elsewhere";
    REQUIRE(store.put(made));
    CHECK(store.find(request, "compiled elsewhere"));
}

TEST_CASE("a damaged entry of a place is a miss, warned of once and left alone") {
    TempDir folder;
    Warnings warnings;
    StoreSettings settings = settings_for(folder / "root", warnings);
    settings.read_only = {installed(folder / "a", {"request 1"}),
                          installed(folder / "b", {"request 2"})};
    Warnings other;
    const std::string path =
        Store(settings_for(folder / "a", other)).entry_path(request, "compiled elsewhere");
    std::vector<std::byte> bytes = read_file(path);
    bytes.back() ^= std::byte{1};
    write_file(path, bytes);
    Store store(settings);
    for (int k = 0; k < 2; ++k) {
        CHECK(store.find(request, sample_producer).reason == MissReason::damaged);
    }
    CHECK(warnings.text() ==
          "cache: ignored '" + path + "': a section does not match its checksum\n");
    CHECK(read_file(path) == bytes);
    CHECK_FALSE(fs::exists(folder / "a/quarantine"));
    CHECK(store.find(sha256("request 2"), sample_producer));
}

TEST_CASE("a place that cannot be used is named once, and the others serve") {
    TempDir folder;
    Warnings warnings;
    fs::create_directory(folder / "open");
    REQUIRE(::chmod((folder / "open").c_str(), 0777) == 0);
    write_file(folder / "file", to_bytes("text"));
    StoreSettings settings = settings_for(folder / "root", warnings);
    settings.read_only = {folder / "gone",
                          folder / "open",
                          folder / "file",
                          installed(folder / "good", {"request 1"})};
    Store store(settings);
    CHECK(store.find(request, sample_producer));
    CHECK(store.find(request, sample_producer));
    const std::string start = "cache: '" + folder.path();
    CHECK(warnings.text() ==
          start + "/gone' is ignored: '" + folder.path() + "/gone' does not exist\n" +  //
              start + "/open' is ignored: '" + folder.path() +
              "/open' may be written by others (mode 0777); run 'chmod go-w " + folder.path() +
              "/open', or set KGEN_CACHE_TRUST=any\n" +  //
              start + "/file' is ignored: '" + folder.path() + "/file' is not a directory\n");
    CHECK(store.read_only_places()[0].second == "'" + (folder / "gone") + "' does not exist");
    CHECK(store.read_only_places()[3].second.empty());
}

TEST_CASE("entries of a place may be root's or the user's own, and no one else may write them") {
    if (::geteuid() != 0) {
        WARN("SKIPPED, needs root: another user's file");
        return;
    }
    TempDir folder;
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    installed(folder / "a", {"request 1"});
    Warnings unused;
    const std::string path =
        Store(settings_for(folder / "a", unused)).entry_path(request, "compiled elsewhere");
    for (const auto& item : fs::recursive_directory_iterator(folder.path())) {
        REQUIRE(::chmod(item.path().c_str(), item.is_directory() ? 0755 : 0644) == 0);
    }
    REQUIRE(::chmod((folder / "a").c_str(), 0755) == 0);
    const auto found_by_other = [&](TrustMode trust) {
        return said_by_child([&] {
            drop_root();
            Warnings warnings;
            StoreSettings settings = settings_for("", warnings, StoreMode::off, trust);
            settings.read_only = {folder / "a"};
            const FindResult found = Store(settings).find(request, sample_producer);
            return found ? "found" : warnings.text();
        });
    };
    const std::string warned = "cache: ignored '" + path + "': ";
    CHECK(found_by_other(TrustMode::owner) == "found");
    REQUIRE(::chown(path.c_str(), other_user, 0) == 0);
    CHECK(found_by_other(TrustMode::owner) == "found");
    REQUIRE(::chown(path.c_str(), 1234, 0) == 0);
    CHECK(found_by_other(TrustMode::owner) == warned + "the file belongs to user 1234\n");
    CHECK(found_by_other(TrustMode::any) == "found");
    REQUIRE(::chown(path.c_str(), 0, 0) == 0);
    REQUIRE(::chmod(path.c_str(), 0664) == 0);
    CHECK(found_by_other(TrustMode::owner) ==
          warned + "the file may be written by others (mode 0664)\n");
}

TEST_CASE("a place can be added while the store is in use") {
    TempDir folder;
    Warnings warnings;
    Store store(settings_for(folder / "root", warnings));
    CHECK_FALSE(store.find(request, sample_producer));
    store.add_place(std::make_unique<MemoryPlace>(sample_entry("request 1")));
    const FindResult found = store.find(request, "someone else");
    REQUIRE(found);
    CHECK(found.path == "memory");
    store.reject(request, sample_producer, "no good", found.tier, found.path);
    CHECK_FALSE(store.find(request, "someone else"));
    CHECK(warnings.text() == "cache: ignored 'memory': no good\n");
}
