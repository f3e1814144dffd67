// SPDX-License-Identifier: MIT
//
// verify, prune and clear: they find what is wrong, and remove exactly what was asked for.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <filesystem>
#include <kgen/cache.hpp>
#include <string>
#include <vector>

#include "store.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/memory_folder.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace kgen;
using namespace kgen::cache;

namespace {

using Paths = std::vector<std::string>;

struct Scene {
    ScopedVariable place{"TMPDIR", memory_folder()};
    TempDir folder;
    Warnings warnings;
    std::string root = folder / "root";
    Store store{settings_for(root, warnings)};

    static Entry entry(const std::string& name) {
        Entry entry = sample_entry(name);
        entry.request.bytes[0] &= std::byte{3};
        return entry;
    }
    std::string path(const std::string& name) const {
        return store.entry_path(entry(name).request, sample_producer);
    }
    void put(const std::string& name) { REQUIRE(store.put(entry(name))); }
    // Stores entries that were last used so many hours ago.
    void put_aged(const std::vector<std::pair<std::string, int>>& hours) {
        for (const auto& [name, age] : hours) {
            put(name);
            const timespec time = {::time(nullptr) - age * 3600, 0};
            const timespec times[2] = {time, time};
            REQUIRE(::utimensat(AT_FDCWD, path(name).c_str(), times, 0) == 0);
        }
    }
    std::string left(const std::string& names) const {
        std::string text;
        for (const char name : names) {
            if (fs::exists(path(std::string(1, name)))) text += name;
        }
        return text;
    }
};

const std::uint64_t entry_bytes = encode_entry(Scene::entry("a")).size();

std::vector<std::string> texts(const std::vector<CacheProblem>& problems) {
    std::vector<std::string> lines;
    for (const CacheProblem& each : problems) {
        lines.push_back(each.path + ": " + each.problem + (each.moved ? " (moved)" : ""));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

// Changes the entry's format version.
void set_version(const std::string& path, unsigned char version) {
    std::vector<std::byte> file = read_file(path);
    file[8] = std::byte{version};
    const Digest digest = sha256(std::span(file).first(160));
    std::memcpy(file.data() + 160, digest.bytes.data(), 32);
    write_file(path, file);
}

}  // namespace

TEST_CASE("of 1000 entries the three that are bad are found and moved away on demand") {
    Scene scene;
    for (int k = 0; k < 1000; ++k) scene.put(std::to_string(k));
    std::vector<std::byte> bytes = read_file(scene.path("17"));
    bytes.back() ^= std::byte{1};
    write_file(scene.path("17"), bytes);
    bytes.resize(100);
    write_file(scene.path("300"), bytes);
    write_file(scene.path("999"), read_file(scene.path("5")));

    std::vector<std::string> expected = {
        scene.path("17") + ": a section does not match its checksum",
        scene.path("300") + ": the file is shorter than a header",
        scene.path("999") + ": it holds the entry of another request"};
    std::sort(expected.begin(), expected.end());
    std::vector<std::string> moved = expected;
    for (std::string& line : moved) line += " (moved)";

    const CacheCheck check = verify_cache(CacheRepair::no, CacheDryRun::no, scene.root);
    CHECK(check.sound_files == 997);
    CHECK(texts(check.problems) == expected);
    CHECK(texts(verify_cache(CacheRepair::yes, CacheDryRun::yes, scene.root).problems) == moved);
    CHECK(texts(verify_cache(CacheRepair::yes, CacheDryRun::no, scene.root).problems) == moved);
    const CacheCheck after = verify_cache(CacheRepair::no, CacheDryRun::no, scene.root);
    CHECK(after.sound_files == 997);
    CHECK(after.problems.empty());
    CHECK(cache_usage(scene.root).quarantined_files == 3);
}

TEST_CASE("an entry of a newer kgen is no problem and is not moved") {
    Scene scene;
    scene.put("a");
    scene.put("b");
    set_version(scene.path("a"), 2);
    const CacheCheck check = verify_cache(CacheRepair::yes, CacheDryRun::no, scene.root);
    CHECK(check.sound_files == 1);
    CHECK(check.problems.empty());
    CHECK(check.newer == Paths{scene.path("a")});
    CHECK(fs::exists(scene.path("a")));
}

TEST_CASE("an entry of another user or that is no file is a problem") {
    Scene scene;
    scene.put("a");
    fs::remove(scene.path("a"));
    fs::create_symlink("/nonexistent", scene.path("a"));
    std::vector<std::string> expected = {scene.path("a") +
                                         ": the entry is a symbolic link (moved)"};
    if (::geteuid() == 0) {
        scene.put("b");
        REQUIRE(::chown(scene.path("b").c_str(), other_user, other_user) == 0);
        expected.push_back(scene.path("b") + ": the file belongs to user " +
                           std::to_string(other_user) + " (moved)");
    }
    std::sort(expected.begin(), expected.end());
    CHECK(texts(verify_cache(CacheRepair::yes, CacheDryRun::no, scene.root).problems) == expected);
    CHECK(verify_cache(CacheRepair::no, CacheDryRun::no, scene.root).problems.empty());
}

TEST_CASE("prune removes what was used longest ago until no bound is exceeded") {
    Scene scene;
    scene.put_aged({{"a", 5}, {"b", 50}, {"c", 1}, {"d", 30}});
    CacheBounds bounds;
    SECTION("by size") {
        bounds.max_bytes = 3 * entry_bytes;
        const CacheRemoval told = prune_cache(bounds, CacheDryRun::yes, scene.root);
        CHECK(told.paths == Paths{scene.path("b")});
        CHECK(told.bytes == entry_bytes);
        CHECK(scene.left("abcd") == "abcd");
        CHECK(prune_cache(bounds, CacheDryRun::no, scene.root).paths == told.paths);
        CHECK(scene.left("abcd") == "acd");
    }
    SECTION("by files") {
        bounds.max_files = 2;
        CHECK(prune_cache(bounds, CacheDryRun::no, scene.root).paths ==
              Paths{scene.path("b"), scene.path("d")});
        CHECK(scene.left("abcd") == "ac");
    }
    SECTION("by age") {
        bounds.max_age_s = 4 * 3600;
        prune_cache(bounds, CacheDryRun::no, scene.root);
        CHECK(scene.left("abcd") == "c");
    }
    SECTION("to nothing") {
        bounds.max_bytes = 0;
        prune_cache(bounds, CacheDryRun::no, scene.root);
        CHECK(scene.left("abcd") == "");
    }
    SECTION("without a bound to those in force") {
        CHECK(prune_cache(bounds, CacheDryRun::no, scene.root).paths.empty());
        CHECK(scene.left("abcd") == "abcd");
    }
}

TEST_CASE("clear removes all of kgen's own files and nothing else") {
    Scene scene;
    for (const char* name : {"a", "b", "c"}) scene.put(name);
    scene.store.reject(Scene::entry("b").request, sample_producer, "refused");
    const std::string shard = fs::path(scene.path("a")).parent_path();
    const std::string temporary = shard + "/." + fs::path(scene.path("a")).stem().string() + "." +
                                  std::string(32, '0') + ".tmp";
    const Paths foreign = {scene.root + "/notes.txt",
                           scene.root + "/v2/ab/" + fs::path(scene.path("a")).filename().string(),
                           scene.root + "/v1/notes.txt",
                           scene.root + "/v1/stats/notes.txt",
                           scene.root + "/versions/x",
                           shard + "/notes.txt"};
    write_file(temporary, to_bytes("x"));
    for (const std::string& file : foreign) {
        fs::create_directories(fs::path(file).parent_path());
        write_file(file, to_bytes("mine"));
    }
    const std::size_t files = files_below(scene.root).size();
    const CacheRemoval told = clear_cache(CacheVersions::own, CacheDryRun::yes, scene.root);
    CHECK(files_below(scene.root).size() == files);
    const CacheRemoval done = clear_cache(CacheVersions::own, CacheDryRun::no, scene.root);
    CHECK(done.paths == told.paths);
    CHECK(done.bytes == told.bytes);
    CHECK(done.paths.size() ==
          5);  // two entries, one in quarantine, the temporary file, the totals
    Paths expected = foreign;
    expected.push_back(scene.root + "/CACHEDIR.TAG");
    Paths left = files_below(scene.root);
    std::sort(expected.begin(), expected.end());
    std::sort(left.begin(), left.end());
    CHECK(left == expected);
    scene.put("a");
    CHECK(scene.store.find(Scene::entry("a").request, sample_producer));
    CHECK(scene.warnings.texts().size() == 1);  // about the rejected entry
}

TEST_CASE("clear of all versions removes what others keep there without following links") {
    Scene scene;
    scene.put("a");
    const std::string outside = scene.folder / "outside";
    fs::create_directory(outside);
    write_file(outside + "/file", to_bytes("mine"));
    fs::create_directories(scene.root + "/v2/ab/cd");
    write_file(scene.root + "/v2/ab/cd/x", to_bytes("12345"));
    fs::create_directory_symlink(outside, scene.root + "/v2/link");
    fs::create_directory_symlink(outside, scene.root + "/v3");
    fs::create_directories(scene.root + "/v2x");
    const CacheRemoval removal = clear_cache(CacheVersions::every, CacheDryRun::no, scene.root);
    CHECK(removal.paths.size() >= 3);
    CHECK_FALSE(fs::exists(scene.root + "/v2"));
    CHECK(fs::exists(scene.root + "/v2x"));
    CHECK(fs::exists(outside + "/file"));
    CHECK(fs::is_symlink(scene.root + "/v3"));
    CHECK(scene.left("a") == "");
}

TEST_CASE("nobody fails while the cache is cleared under them") {
    Scene scene;
    std::vector<::pid_t> children;
    for (int k = 0; k < 8; ++k) {
        children.push_back(start_child([&] {
            Warnings warnings;
            Store store(settings_for(scene.root, warnings));
            for (int round = 0; round < 50; ++round) {
                const Entry entry = Scene::entry(std::to_string(round % 10));
                const FindResult found = store.find(entry.request, sample_producer);
                if (found && *found.entry != entry) return 1;
                if (!store.put(entry)) return 2;
            }
            return warnings.text().empty() ? 0 : 3;
        }));
    }
    for (int k = 0; k < 20; ++k) {
        clear_cache(CacheVersions::every, CacheDryRun::no, scene.root);
        ::usleep(1000);
    }
    for (const ::pid_t child : children) CHECK(wait_for(child) == 0);
    CHECK(verify_cache(CacheRepair::no, CacheDryRun::no, scene.root).problems.empty());
}

TEST_CASE("a directory that kgen has not marked is refused and nothing in it is removed") {
    const TempDir folder;
    const auto refusal = [&](const std::string& directory) {
        return KGEN_MESSAGE_OF(CacheError,
                               clear_cache(CacheVersions::every, CacheDryRun::no, directory));
    };
    fs::create_directories(folder / "v1/ab");
    const std::string file = "v1/ab/" + std::string(62, '0') + "-0123456789abcdef.kgc";
    write_file(folder / file, to_bytes("mine"));
    CHECK(refusal(folder.path()) ==
          "'" + folder.path() + "' is not a cache of kgen: it has no CACHEDIR.TAG of kgen");
    write_file(folder / "CACHEDIR.TAG",
               to_bytes("Signature: 8a477f597d28d172789f06886806bc55\n# another program's"));
    CHECK(refusal(folder.path()) ==
          "'" + folder.path() + "' is not a cache of kgen: it has no CACHEDIR.TAG of kgen");
    CHECK(refusal("/") == "'/' is not a cache of kgen: it has no CACHEDIR.TAG of kgen");
    CHECK(refusal(folder / file) ==
          "'" + (folder / file) + "' is not a directory; set KGEN_CACHE_DIR to one");
    CHECK(KGEN_MESSAGE_OF(CacheError, prune_cache({}, CacheDryRun::no, folder.path())) != "");
    CHECK(KGEN_MESSAGE_OF(CacheError,
                          verify_cache(CacheRepair::yes, CacheDryRun::no, folder.path())) != "");
    CHECK(fs::exists(folder / file));

    Scene scene;
    scene.put("a");
    REQUIRE(::chmod(scene.root.c_str(), 0777) == 0);
    CHECK(refusal(scene.root) == "'" + scene.root +
                                     "' may be written by others (mode 0777); run 'chmod go-w " +
                                     scene.root + "', or set KGEN_CACHE_TRUST=any");
    CHECK(scene.left("a") == "a");
}

TEST_CASE("a directory that is absent or empty is an empty cache") {
    const TempDir folder;
    for (const std::string& directory : {folder.path(), folder / "absent/too"}) {
        INFO(directory);
        CHECK(clear_cache(CacheVersions::every, CacheDryRun::no, directory).paths.empty());
        CHECK(prune_cache({}, CacheDryRun::no, directory).paths.empty());
        CHECK(verify_cache(CacheRepair::yes, CacheDryRun::no, directory).sound_files == 0);
        CHECK(list_cache(directory).empty());
        CHECK(cache_usage(directory).entries == 0);
        zero_cache_totals(directory);
    }
    CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a directory where a tag is being written is an empty cache") {
    const TempDir folder;
    const std::string tag = folder / (".CACHEDIR.TAG." + std::string(32, '2') + ".tmp");
    write_file(tag, to_bytes("Signature: 8a47"));
    CHECK(clear_cache(CacheVersions::every, CacheDryRun::no, folder.path()).paths.empty());
    CHECK(fs::exists(tag));
    write_file(folder / ".CACHEDIR.TAG.notes", to_bytes("mine"));
    CHECK(KGEN_MESSAGE_OF(CacheError,
                          clear_cache(CacheVersions::every, CacheDryRun::no, folder.path())) != "");
}

TEST_CASE("what cannot be removed is an error that names it") {
    TempDir folder;
    if (::geteuid() == 0) REQUIRE(::chown(folder.path().c_str(), other_user, other_user) == 0);
    const std::string root = folder / "root";
    CHECK(said_by_child([&] {
              drop_root();
              Warnings warnings;
              Store store(settings_for(root, warnings));
              store.put(Scene::entry("a"));
              const std::string path = store.entry_path(Scene::entry("a").request, sample_producer);
              const std::string shard = fs::path(path).parent_path();
              ::chmod(shard.c_str(), 0500);
              std::string said =
                  KGEN_MESSAGE_OF(IoError, clear_cache(CacheVersions::own, CacheDryRun::no, root));
              ::chmod(shard.c_str(), 0700);
              return said == "'" + path + "' cannot be removed: Permission denied" ? "said" : said;
          }) == "said");
}
