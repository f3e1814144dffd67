// SPDX-License-Identifier: MIT
//
// The store stays within its bounds and evicts only the entries that were used longest ago.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "eviction.hpp"
#include "store.hpp"
#include "store_scan.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/memory_folder.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace kgen::cache;

namespace {

constexpr std::int64_t hour_s = 3600;

// A store of entries of a little over 1000 bytes. A test sets when they were last used.
struct Scene {
    ScopedVariable place{"TMPDIR", memory_folder()};
    TempDir folder;
    Warnings warnings;
    std::string root = folder / "root";
    StoreSettings settings = settings_for(root, warnings);

    static Entry entry(const std::string& name) { return sample_entry(name, 1000); }
    std::string path(const std::string& name) {
        return Store(settings).entry_path(sha256(name), sample_producer);
    }
    void put(const std::string& name) {
        Store store(settings);
        REQUIRE(store.put(entry(name)));
    }
    // Sets the time of use, in seconds from now.
    void set_time(const std::string& file, std::int64_t seconds) const {
        const timespec time = {::time(nullptr) + seconds, 0};
        const timespec times[2] = {time, time};
        REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0);
    }
    std::int64_t age_s(const std::string& file) const {
        struct stat status {};
        REQUIRE(::stat(file.c_str(), &status) == 0);
        return ::time(nullptr) - status.st_mtim.tv_sec;
    }
    // Stores entries that were last used so many hours ago.
    void put_aged(const std::vector<std::pair<std::string, int>>& hours) {
        for (const auto& [name, age] : hours) put(name);
        for (const auto& [name, age] : hours) set_time(path(name), -age * hour_s);
    }
    // Returns those of the names whose entries still exist.
    std::string left(const std::string& names) {
        std::string text;
        for (const char name : names) {
            if (fs::exists(path(std::string(1, name)))) text += name;
        }
        return text;
    }
    EvictionResult evict_to(EvictionBounds bounds) const {
        const int directory = ::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        const EvictionResult result = evict(directory, bounds);
        ::close(directory);
        return result;
    }
};

std::uint64_t size_of_entry() {
    return encode_entry(Scene::entry("a")).size();
}

struct Peak {
    std::uint64_t bytes = 0;
    std::uint64_t files = 0;
};

// Measures the store's largest size. A new Store, which knows nothing, makes each put like a
// process of its own.
Peak peak_of_short_processes(StoreSettings settings, int processes, std::size_t payload) {
    Peak peak;
    for (int k = 0; k < processes; ++k) {
        Store store(settings);
        Entry entry = sample_entry("request " + std::to_string(k), payload);
        entry.request.bytes[0] &= std::byte{7};  // few shards make scans fast
        store.put(std::move(entry));
        if (k % 25 != 0) continue;
        Peak now;
        const int root = ::open(settings.root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        for (const StoredFile& file : scan_entries(root).files) {
            now.bytes += file.size_bytes();
            ++now.files;
        }
        ::close(root);
        peak.bytes = std::max(peak.bytes, now.bytes);
        peak.files = std::max(peak.files, now.files);
    }
    return peak;
}

}  // namespace

TEST_CASE("many short processes never bring the store over 1.1 times its bound of bytes") {
    Scene scene;
    scene.settings.max_bytes = 1'000'000;
    const Peak peak = peak_of_short_processes(scene.settings, 10'000, 10'000);
    CHECK(peak.bytes <= 1'100'000);
    CHECK(peak.bytes >= 800'000);
    CHECK(scene.warnings.text() == "");
}

TEST_CASE("many short processes never bring the store over 1.1 times its bound of files") {
    Scene scene;
    scene.settings.max_files = 100;
    const Peak peak = peak_of_short_processes(scene.settings, 1000, 10);
    CHECK(peak.files <= 110);
    CHECK(peak.files >= 80);
}

TEST_CASE("a process that stores much keeps the store within its bound by itself") {
    Scene scene;
    scene.settings.max_bytes = 100 * size_of_entry();
    Store store(scene.settings);
    for (int k = 0; k < 300; ++k) {
        REQUIRE(store.put(Scene::entry(std::to_string(k))));
        // The entry just stored is the most recently used one.
        REQUIRE(store.find(sha256(std::to_string(k)), sample_producer));
    }
    std::size_t entries = 0;
    for (const std::string& file : files_below(scene.root))
        entries += file.ends_with(".kgc") ? 1 : 0;
    CHECK(entries <= 100);
    CHECK(store.statistics().evictions == 300 - entries);
}

TEST_CASE("the entries that were used longest ago go until 0.8 of the bound is left") {
    Scene scene;
    scene.put_aged({{"a", 5}, {"b", 9}, {"c", 1}, {"d", 7}, {"e", 3}, {"f", 2}});
    const std::uint64_t size = size_of_entry();
    SECTION("within 0.9 of the bound nothing goes") {
        const EvictionResult result = scene.evict_to({7 * size, 7});
        CHECK(result.done);
        CHECK(result.bytes == 6 * size);
        CHECK(result.files == 6);
        CHECK(scene.left("abcdef") == "abcdef");
    }
    SECTION("by bytes") {
        const EvictionResult result = scene.evict_to({5 * size, 100});
        CHECK(result.evicted == 2);
        CHECK(result.bytes == 4 * size);
        CHECK(scene.left("abcdef") == "acef");
    }
    SECTION("by files") {
        CHECK(scene.evict_to({100 * size, 4}).evicted == 3);
        CHECK(scene.left("abcdef") == "cef");
    }
    SECTION("by the space that is missing") {
        CHECK(scene.evict_to({100 * size, 100, 1}).evicted == 1);
        CHECK(scene.left("abcdef") == "acdef");
    }
}

TEST_CASE("a hit renews an entry's time of use once it is an hour old") {
    Scene scene;
    scene.put("a");
    struct Case {
        StoreMode mode;
        std::int64_t before_s;
        std::int64_t after_s;
    };
    for (const Case& each : {Case{StoreMode::read_write, 2 * hour_s, 0},
                             Case{StoreMode::read_write, hour_s / 2, hour_s / 2},
                             Case{StoreMode::read_write, -2 * hour_s, 0},
                             Case{StoreMode::read_only, 2 * hour_s, 2 * hour_s}}) {
        INFO(to_text(each.mode) << ", " << each.before_s << " s");
        scene.set_time(scene.path("a"), -each.before_s);
        StoreSettings settings = scene.settings;
        settings.mode = each.mode;
        Store store(settings);
        REQUIRE(store.find(sha256("a"), sample_producer));
        CHECK(std::abs(scene.age_s(scene.path("a")) - each.after_s) < 600);
    }
}

TEST_CASE("a time of use in the future counts as now and does not last") {
    Scene scene;
    scene.put_aged({{"a", 5}, {"b", -48}, {"c", 1}});
    scene.evict_to({3 * size_of_entry(), 100});
    CHECK(scene.left("abc") == "bc");
    CHECK(std::abs(scene.age_s(scene.path("b"))) < 600);
    scene.set_time(scene.path("c"), 30);  // clocks may differ a little
    scene.set_time(scene.path("b"), -10);
    scene.evict_to({2 * size_of_entry(), 100});
    CHECK(scene.left("abc") == "c");
}

TEST_CASE("temporary files of killed writers go after an hour, not before") {
    Scene scene;
    scene.put("a");
    const std::string stem = fs::path(scene.path("a")).stem();
    const std::string shard = fs::path(scene.path("a")).parent_path();
    const std::string old_file = shard + "/." + stem + "." + std::string(32, '0') + ".tmp";
    const std::string young_file = shard + "/." + stem + "." + std::string(32, '1') + ".tmp";
    const std::string tag_file = scene.root + "/.CACHEDIR.TAG." + std::string(32, '2') + ".tmp";
    for (const std::string& file : {old_file, young_file, tag_file})
        write_file(file, to_bytes("x"));
    scene.set_time(old_file, -2 * hour_s);
    scene.set_time(tag_file, -2 * hour_s);
    CHECK(scene.evict_to({1 << 20, 100}).files == 2);
    CHECK_FALSE(fs::exists(old_file));
    CHECK_FALSE(fs::exists(tag_file));
    CHECK(fs::exists(young_file));
    CHECK(scene.left("a") == "a");
}

TEST_CASE("what is in quarantine counts and goes before any entry") {
    Scene scene;
    scene.put_aged({{"a", 5}, {"b", 1}});
    Store store(scene.settings);
    store.reject(sha256("b"), sample_producer, "refused");
    const EvictionResult whole = scene.evict_to({1 << 20, 100});
    CHECK(whole.files == 2);
    CHECK(whole.bytes == 2 * size_of_entry());
    const EvictionResult result = scene.evict_to({2 * size_of_entry(), 100});
    CHECK(result.files == 1);
    CHECK(result.evicted == 0);
    CHECK(scene.left("ab") == "a");
}

TEST_CASE("only files of the store's own names are ever evicted") {
    Scene scene;
    scene.put("a");
    const std::string shard = fs::path(scene.path("a")).parent_path();
    const std::string name = fs::path(scene.path("a")).filename();
    const std::vector<std::string> foreign = {
        scene.root + "/notes.txt",
        scene.root + "/" + name,
        scene.root + "/v1/" + name,
        scene.root + "/v2/ab/" + name,
        scene.root + "/v1/AB/" + name,
        scene.root + "/v1/abc/" + name,
        scene.root + "/v1/locks",
        shard + "/.nfs00000000000000000001",
        shard + "/" + name + "~",
        shard + "/." + name,
        shard + "/x" + name.substr(1),
        shard + "/.x.0123456789abcdef0123456789abcdef.tmp",
        shard + "/notes.tmp",
    };
    for (const std::string& file : foreign) {
        fs::create_directories(fs::path(file).parent_path());
        write_file(file, to_bytes("mine"));
        scene.set_time(file, -48 * hour_s);
    }
    const std::string outside = scene.folder / "outside";
    write_file(outside, to_bytes("mine"));
    fs::create_symlink(outside, shard + "/" + std::string(62, '0') + "-0123456789abcdef.kgc");
    CHECK(scene.evict_to({0, 0}).evicted == 1);
    CHECK(scene.left("a") == "");
    CHECK(fs::exists(outside));
    for (const std::string& file : foreign) {
        INFO(file);
        CHECK(fs::exists(file));
    }
}

TEST_CASE("an entry that was stored anew since it was looked at is not removed") {
    Scene scene;
    scene.put("a");
    const int root = ::open(scene.root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::vector<StoredFile> seen = scan_entries(root).files;
    REQUIRE(seen.size() == 1);
    SECTION("another file of the same name") {
        scene.put("a");
        CHECK_FALSE(remove_if_unchanged(root, seen[0]));
        CHECK(scene.left("a") == "a");
    }
    SECTION("the same file used since") {
        scene.set_time(scene.path("a"), 5);
        CHECK_FALSE(remove_if_unchanged(root, seen[0]));
        CHECK(scene.left("a") == "a");
    }
    SECTION("the same file") {
        CHECK(remove_if_unchanged(root, seen[0]));
        CHECK(scene.left("a") == "");
        CHECK_FALSE(remove_if_unchanged(root, seen[0]));
    }
    ::close(root);
}

TEST_CASE("who finds another process evicting leaves it to that one") {
    Scene scene;
    scene.put("a");
    scene.evict_to({1 << 20, 100});
    const std::string file = scene.root + "/v1/evict.lock";
    const int lock = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    struct flock range {};
    range.l_type = F_WRLCK;
    REQUIRE(::fcntl(lock, F_OFD_SETLK, &range) == 0);
    CHECK_FALSE(scene.evict_to({0, 0}).done);
    CHECK(scene.left("a") == "a");
    ::close(lock);
    CHECK(scene.evict_to({0, 0}).done);
    CHECK(scene.left("a") == "");
}

TEST_CASE("an entry of more than a fifth of the bound is not stored and no other goes for it") {
    Scene scene;
    scene.settings.max_bytes = 10 * size_of_entry();
    Store store(scene.settings);
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"})
        REQUIRE(store.put(Scene::entry(name)));
    const Entry large = sample_entry("large", 3000);
    for (int k = 0; k < 5; ++k) CHECK_FALSE(store.put(large));
    CHECK(scene.left("abcdefgh") == "abcdefgh");
    CHECK(store.statistics().declined == 5);
    CHECK(store.statistics().store_failures == 0);
    CHECK(store.put(Scene::entry("a")));  // declining an entry does not count as a failure
    CHECK(scene.warnings.text() ==
          "cache: not stored '" + scene.path("large") + "': it has " +
              std::to_string(encode_entry(large).size()) +
              " bytes, more than a fifth of the cache's bound of " +
              std::to_string(scene.settings.max_bytes) +
              "; kernels still run, but are compiled again in each process\n");
}
