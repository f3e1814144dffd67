// SPDX-License-Identifier: MIT
//
// Packs below the root of a store are managed like entries: bounded, listed, shown, verified,
// pruned and cleared.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <kgen/cache.hpp>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "eviction.hpp"
#include "file_descriptor.hpp"
#include "pack_format.hpp"
#include "store.hpp"
#include "store_scan.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/command.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace kgen;
using namespace kgen::cache;
using nlohmann::json;

namespace {

using Bytes = std::vector<std::byte>;
using Paths = std::vector<std::string>;

// An entry with metadata of its own and a cubin of 1000 bytes that is the same for all entries.
Entry entry(const std::string& kernel, const std::string& producer = std::string(sample_producer)) {
    Entry entry = sample_entry(kernel);
    entry.producer_identity = producer;
    entry.metadata = {
        {"kernel", kernel}, {"symbol", "k_" + kernel}, {"target", "sm_90"}, {"producer", "NVRTC"}};
    entry.sections = {{section_tag("cubn"), to_bytes(std::string(1000, 'c'))}};
    return entry;
}

std::string start_of(const std::string& kernel) {
    return sha256(kernel).to_hex().substr(0, 12);
}

struct Scene {
    TempDir folder;
    Warnings warnings;
    std::string root = folder / "root";
    StoreSettings settings = settings_for(root, warnings);

    std::string path(const std::string& kernel) const {
        return Store(settings).entry_path(entry(kernel).request, sample_producer);
    }
    std::string put(const std::string& kernel, int age_h = 0) const {
        REQUIRE(Store(settings).put(entry(kernel)));
        set_age(path(kernel), age_h);
        return path(kernel);
    }
    std::string put_pack(const std::vector<Entry>& entries, int age_h = 0) const {
        const PutPackResult put = Store(settings).put_pack(encode_pack(entries));
        REQUIRE(put.problem == "");
        set_age(put.path, age_h);
        return put.path;
    }
    void set_age(const std::string& file, int hours) const {
        const timespec time = {::time(nullptr) - hours * 3600, 0};
        const timespec times[2] = {time, time};
        REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0);
    }
    EvictionResult evict_to(const EvictionBounds& bounds) const {
        const FileDescriptor directory(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        return evict(directory.get(), bounds);
    }
};

std::uint64_t size_of(const std::string& file) {
    return fs::file_size(file);
}

// Damages the last blob of a pack. The index stays sound.
void damage(const std::string& file) {
    Bytes bytes = read_file(file);
    bytes.back() ^= std::byte{1};
    write_file(file, bytes);
}

}  // namespace

TEST_CASE("a pack counts in bytes and files and goes whole by its time of use") {
    Scene scene;
    const std::string a = scene.put("a", 5);
    const std::string pack = scene.put_pack({entry("b"), entry("c")}, 9);
    const std::string d = scene.put("d", 1);
    const std::uint64_t all = size_of(a) + size_of(pack) + size_of(d);
    const EvictionResult none = scene.evict_to({2 * all, 100});
    CHECK(none.bytes == all);
    CHECK(none.files == 3);
    CHECK(none.evicted == 0);
    SECTION("it was used longest ago") {
        const EvictionResult result = scene.evict_to({2 * all, 3});
        CHECK(result.evicted == 1);
        CHECK(result.bytes == all - (all - size_of(a) - size_of(d)));
        CHECK_FALSE(fs::exists(pack));
        CHECK(fs::exists(a));
    }
    SECTION("a hit in it makes it the newest") {
        REQUIRE(Store(scene.settings).find(sha256("c"), sample_producer));
        CHECK(scene.evict_to({all, 100}).evicted == 1);
        CHECK(fs::exists(pack));
        CHECK_FALSE(fs::exists(a));
        CHECK(fs::exists(d));
    }
}

TEST_CASE("temporary files of packs go after an hour and other names in their folder stay") {
    Scene scene;
    const std::string pack = scene.put_pack({entry("a")}, 48);
    const std::string folder = fs::path(pack).parent_path();
    const std::string stem = fs::path(pack).stem();
    const std::string old_file = folder + "/." + stem + "." + std::string(32, '0') + ".tmp";
    const std::string young_file = folder + "/." + stem + "." + std::string(32, '1') + ".tmp";
    const Paths foreign = {folder + "/library.kgp", folder + "/." + stem + ".tmp", pack + "~"};
    for (const std::string& file : foreign) write_file(file, to_bytes("mine"));
    for (const std::string& file : {old_file, young_file}) write_file(file, to_bytes("x"));
    for (const std::string& file : {old_file, foreign[0], foreign[1], foreign[2]}) {
        scene.set_age(file, 48);
    }
    CHECK(scene.evict_to({1 << 20, 100}).files == 2);
    CHECK_FALSE(fs::exists(old_file));
    CHECK(fs::exists(young_file));
    CHECK(scene.evict_to({0, 0}).evicted == 1);
    CHECK_FALSE(fs::exists(pack));
    clear_cache(CacheVersions::own, CacheDryRun::no, scene.root);
    for (const std::string& file : foreign) CHECK(fs::exists(file));
}

TEST_CASE("a pack may fill the bound and others go for it but a larger one is refused") {
    Scene scene;
    const std::vector<Entry> entries = {entry("a"), entry("b"), sample_entry("c", 20'000)};
    const Bytes pack = encode_pack(entries);
    const std::string other = scene.put("d", 1);
    scene.settings.max_bytes = pack.size() - 1;
    CHECK(Store(scene.settings).put_pack(pack).problem ==
          "the pack has " + std::to_string(pack.size()) +
              " bytes, more than the cache's bound of " + std::to_string(pack.size() - 1) +
              "\nraise KGEN_CACHE_MAX_SIZE");
    CHECK(fs::exists(other));
    scene.settings.max_bytes = pack.size();
    Store store(scene.settings);
    const PutPackResult put = store.put_pack(pack);
    CHECK(put.problem == "");
    CHECK(fs::exists(put.path));
    CHECK_FALSE(fs::exists(other));
    CHECK(store.statistics().evictions == 1);
    CHECK(store.find(sha256("a"), sample_producer));
}

TEST_CASE("entries of packs are listed with their share of the pack") {
    Scene scene;
    scene.put("a");
    const std::string pack = scene.put_pack({entry("b"), entry("c")}, 3);
    const std::vector<CacheEntry> all = list_cache(scene.root);
    REQUIRE(all.size() == 3);
    CHECK(all[0].kernel == "a");
    CHECK_FALSE(all[0].is_packed);
    CHECK(all[1].request < all[2].request);
    for (const CacheEntry& each : {all[1], all[2]}) {
        CHECK(each.path == pack);
        CHECK(each.is_packed);
        CHECK(each.request == sha256(each.kernel).to_hex());
        CHECK(each.symbol == "k_" + each.kernel);
        CHECK(each.target == "sm_90");
        CHECK(each.producer == "NVRTC");
        CHECK(each.problem == "");
        CHECK(each.used_s <= ::time(nullptr) - 3 * 3600);
    }
    CHECK(all[1].kernel != all[2].kernel);
    // An entry counts half of the shared cubin, plus its metadata.
    CHECK(all[1].size_bytes > 500);
    CHECK(all[1].size_bytes == all[2].size_bytes);
    CHECK(2 * all[1].size_bytes < size_of(pack));

    const CacheUsage usage = cache_usage(scene.root);
    CHECK(usage.entries == 1);
    CHECK(usage.packs == 1);
    CHECK(usage.packed_entries == 2);
    CHECK(usage.pack_bytes == size_of(pack));

    // A pack outside of a store is listed in the same way. Its code is not checked.
    fs::copy_file(pack, scene.folder / "other.kgp");
    damage(scene.folder / "other.kgp");
    const std::vector<CacheEntry> other = list_pack(scene.folder / "other.kgp");
    REQUIRE(other.size() == 2);
    CHECK(other[0].path == scene.folder / "other.kgp");
    CHECK(other[0].request == all[1].request);

    // A pack that cannot be opened is one item of the list.
    fs::resize_file(pack, 300);
    const std::vector<CacheEntry> cut = list_cache(scene.root);
    REQUIRE(cut.size() == 2);
    CHECK(cut[1].path == pack);
    CHECK(cut[1].request == "");
    CHECK(cut[1].size_bytes == 300);
    CHECK(cut[1].problem == "it is not as long as its header says");
    CHECK(cache_usage(scene.root).packed_entries == 0);
    CHECK(KGEN_MESSAGE_OF(IoError, list_pack(pack)) ==
          "'" + pack + "' is not a valid pack: " + cut[1].problem);
    CHECK(KGEN_MESSAGE_OF(IoError, list_pack(scene.folder / "none.kgp")) ==
          "'" + (scene.folder / "none.kgp") + "' is not a file");
}

TEST_CASE("every byte of a pack is verified and a damaged one is moved away on demand") {
    Scene scene;
    const std::string pack = scene.put_pack({entry("a"), entry("b")});
    const std::string other = scene.put_pack({entry("c")});
    const std::string newer = scene.put_pack({entry("d")});
    damage(pack);
    Bytes bytes = read_file(newer);
    bytes[8] = std::byte{2};
    write_file(newer, bytes);
    const std::string misnamed = scene.root + "/v1/packs/0000000000000000.kgp";
    fs::copy_file(other, misnamed);
    fs::permissions(misnamed, fs::perms(0600));
    const auto problems = [&](CacheRepair repair, CacheDryRun dry_run) {
        const CacheCheck check = verify_cache(repair, dry_run, scene.root);
        CHECK(check.sound_files == 1);
        CHECK(check.newer == Paths{newer});
        std::vector<std::string> lines;
        for (const CacheProblem& each : check.problems) {
            lines.push_back(each.path + ": " + each.problem + (each.moved ? " (moved)" : ""));
        }
        std::sort(lines.begin(), lines.end());
        return lines;
    };
    std::vector<std::string> expected = {misnamed + ": it holds another pack",
                                         pack + ": an entry's bytes do not match their checksum"};
    CHECK(problems(CacheRepair::no, CacheDryRun::no) == expected);
    for (std::string& line : expected) line += " (moved)";
    CHECK(problems(CacheRepair::yes, CacheDryRun::yes) == expected);
    CHECK(fs::exists(pack));
    CHECK(problems(CacheRepair::yes, CacheDryRun::no) == expected);
    CHECK_FALSE(fs::exists(pack));
    CHECK(fs::exists(newer));
    CHECK(problems(CacheRepair::yes, CacheDryRun::no).empty());
    // Files in the quarantine are counted, and are evicted before anything else.
    CHECK(fs::exists(scene.root + "/quarantine/" + fs::path(pack).filename().string()));
    CHECK(cache_usage(scene.root).quarantined_files == 2);
    CHECK(scene.evict_to({1 << 20, 3}).files == 2);
    CHECK(fs::is_empty(scene.root + "/quarantine"));
}

TEST_CASE("prune and clear take packs with the entries") {
    Scene scene;
    const std::string a = scene.put("a", 5);
    const std::string old_pack = scene.put_pack({entry("b")}, 50);
    const std::string pack = scene.put_pack({entry("c")}, 1);
    CacheBounds bounds;
    SECTION("by age") {
        bounds.max_age_s = 4 * 3600;
        CHECK(prune_cache(bounds, CacheDryRun::yes, scene.root).paths == Paths{old_pack, a});
        CHECK(prune_cache(bounds, CacheDryRun::no, scene.root).paths == Paths{old_pack, a});
        CHECK(fs::exists(pack));
    }
    SECTION("by size") {
        bounds.max_bytes = size_of(a) + size_of(pack);
        const std::uint64_t size = size_of(old_pack);
        const CacheRemoval removal = prune_cache(bounds, CacheDryRun::no, scene.root);
        CHECK(removal.paths == Paths{old_pack});
        CHECK(removal.bytes == size);
    }
    SECTION("all") {
        const CacheRemoval told = clear_cache(CacheVersions::own, CacheDryRun::yes, scene.root);
        const CacheRemoval done = clear_cache(CacheVersions::own, CacheDryRun::no, scene.root);
        CHECK(done.paths == told.paths);
        for (const std::string& file : {a, old_pack, pack}) {
            CHECK(std::count(done.paths.begin(), done.paths.end(), file) == 1);
        }
        CHECK(cache_usage(scene.root).packs == 0);
        CHECK(files_below(scene.root) == Paths{scene.root + "/CACHEDIR.TAG"});
        CHECK_FALSE(Store(scene.settings).find(sha256("c")));
        scene.put_pack({entry("c")});
        CHECK(Store(scene.settings).find(sha256("c")));
    }
}

TEST_CASE("an entry in a pack is shown by the start of its request") {
    Scene scene;
    const std::string pack = scene.put_pack({entry("a"), entry("b"), entry("b", "another")});
    const CacheEntryContents contents = inspect_cache_entry(start_of("a"), scene.root);
    CHECK(contents.entry.path == pack);
    CHECK(contents.entry.is_packed);
    CHECK(contents.entry.kernel == "a");
    CHECK(contents.producer_identity == sample_producer);
    CHECK(contents.metadata == entry("a").metadata);
    REQUIRE(contents.sections.size() == 1);
    CHECK(contents.sections[0].bytes == std::string(1000, 'c'));

    const auto name = [](const std::string& producer) {
        return sha256("b").to_hex() + "-" + sha256(producer).short_hex();
    };
    std::vector<std::string> names = {name("another"), name(std::string(sample_producer))};
    std::sort(names.begin(), names.end());
    CHECK(KGEN_MESSAGE_OF(CacheError, inspect_cache_entry(start_of("b"), scene.root)) ==
          "2 entries in '" + scene.root + "' have a request that begins with '" + start_of("b") +
              "'\nname one by its request and producer: '" + names[0] + "' or '" + names[1] + "'");
    CHECK(inspect_cache_entry(name("another"), scene.root).producer_identity == "another");

    // The entry that a look-up finds is shown: a file of its own comes before packs.
    const std::string own = scene.put("a");
    CHECK(inspect_cache_entry(start_of("a"), scene.root).entry.path == own);
    fs::remove(own);
    damage(pack);
    CHECK(KGEN_MESSAGE_OF(IoError, inspect_cache_entry(start_of("a"), scene.root)) ==
          "'" + pack + "' has no valid entry of request " + sha256("a").to_hex() +
              ": an entry's bytes do not match their checksum");
}

TEST_CASE("kgen cache shows packs below the cache and elsewhere") {
    const Command kgen;
    write_file(kgen.path("two.kgp"), encode_pack({entry("axpy"), entry("norm")}));
    const CommandResult imported = kgen.run({"cache", "import", "two.kgp", "--json"});
    REQUIRE(imported.exit_status == 0);
    const std::string path = json::parse(imported.output)["packs"][0]["path"];
    const std::string name = fs::path(path).filename();

    const std::string list = kgen.run({"cache", "list", "--sort", "name"}).output;
    const std::string spaced = std::regex_replace(list, std::regex(" +"), " ");
    CHECK(spaced.starts_with("request kernel dtypes layout target size used pack producer\n" +
                             sha256("axpy").to_hex().substr(0, 16) + " axpy - - sm_90 "));
    CHECK(list.find("  " + name + "  NVRTC\n") != std::string::npos);
    const json entries = json::parse(kgen.run({"cache", "list", "--json"}).output)["entries"];
    REQUIRE(entries.size() == 2);
    CHECK(entries[0]["packed"] == true);
    CHECK(entries[0]["path"] == path);
    CHECK(kgen.run({"cache", "stats"}).output.find("\npacks                    1 pack, ") !=
          std::string::npos);
    CHECK(json::parse(kgen.run({"cache", "stats", "--json"}).output)["packed_entries"] == 2);

    const CommandResult entry = kgen.run({"cache", "inspect", start_of("axpy")});
    CHECK(entry.output.starts_with("pack         " + path + "\nshare        "));
    CHECK(entry.output.find("\nkernel       axpy\n") != std::string::npos);
    CHECK(entry.output.find("\ncreated") == std::string::npos);
    const json table = json::parse(kgen.run({"cache", "inspect", "two.kgp", "--json"}).output);
    REQUIRE(table["entries"].size() == 2);
    CHECK(table["entries"][0]["path"] == "two.kgp");
    CHECK(kgen.run({"cache", "inspect", path}).output.find("  " + name + "  NVRTC\n") !=
          std::string::npos);
    const CommandResult refused = kgen.run({"cache", "inspect", "two.kgp", "--ptx"});
    CHECK(
        refused.messages ==
        "kgen: 'two.kgp' is a pack\nname one of its entries by the first digits of its request\n");
    CHECK(refused.exit_status == 2);
}
