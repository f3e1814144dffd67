// SPDX-License-Identifier: MIT
//
// Packs as files: below a store's root, in a read-only place, damaged, foreign, replaced while in use.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "pack_file.hpp"
#include "pack_format.hpp"
#include "pack_reader.hpp"
#include "read_only_place.hpp"
#include "store.hpp"
#include "store_care.hpp"
#include "store_root.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace kgen::cache;

namespace {

using Bytes = std::vector<std::byte>;

const Digest request_a = sha256("a");
const Digest request_b = sha256("b");

Bytes sample_pack() {
    return encode_pack({sample_entry("a"), sample_entry("b")});
}

Entry without_time(Entry entry) {
    entry.created_s = 0;
    return entry;
}

// A pack with sound index whose second section is damaged. Its bytes are the last of the file.
Bytes pack_with_damaged_blob() {
    Bytes pack = sample_pack();
    pack.back() ^= std::byte{1};
    return pack;
}

std::string put(Store& store, const Bytes& pack) {
    const PutPackResult result = store.put_pack(pack);
    CHECK(result.path.empty() != result.problem.empty());
    return result.path.empty() ? result.problem : result.path;
}

}  // namespace

TEST_CASE("a pack's file is recognized by its name") {
    CHECK(is_pack_file_name("0123456789abcdef.kgp"));
    for (const char* name : {"",
                             ".kgp",
                             "0123456789abcde.kgp",
                             "0123456789abcdef0.kgp",
                             "0123456789ABCDEF.kgp",
                             "0123456789abcdeg.kgp",
                             "0123456789abcdef.kgc",
                             "../456789abcdef.kgp"}) {
        INFO(name);
        CHECK_FALSE(is_pack_file_name(name));
    }
}

TEST_CASE("the entries of a pack that was put into a store are found by all stores on the root") {
    const TempDir folder;
    Warnings warnings;
    const std::string root = folder / "root";
    Store other(settings_for(root, warnings));
    CHECK_FALSE(other.find(request_a));
    Store store(settings_for(root, warnings));
    CHECK_FALSE(store.find(request_a));

    const std::string path = put(store, sample_pack());
    CHECK(path == root + "/" + pack_file_path(pack_digest(sample_pack())));
    CHECK(read_file(path) == sample_pack());
    struct stat status {};
    REQUIRE(::lstat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777U) == 0600U);
    // The entries are found at once, in this store and in a new one. files_below finds
    // CACHEDIR.TAG and the pack.
    CHECK(files_below(root).size() == 2);
    for (const Digest& request : {request_a, request_b}) {
        const FindResult found = store.find(request, sample_producer);
        REQUIRE(found);
        CHECK(found.path == path);
        CHECK(found.tier == Tier::read_only);
    }
    CHECK(Store(settings_for(root, warnings)).find(request_a).entry ==
          without_time(sample_entry("a")));
    // A pack's entry is used whatever compiler this machine has.
    CHECK(store.find(request_a, "another compiler"));
    CHECK(warnings.text() == "");
}

TEST_CASE("entries of their own and of the own compiler come before a pack's") {
    const TempDir folder;
    Warnings warnings;
    Store store(settings_for(folder / "root", warnings));
    Entry newer = sample_entry("a");
    newer.producer_identity = "another compiler";
    put(store, encode_pack({sample_entry("a")}));
    put(store, encode_pack({newer}));
    CHECK(store.find(request_a, sample_producer).entry->producer_identity == sample_producer);
    CHECK(store.find(request_a, "another compiler").entry->producer_identity == "another compiler");

    Entry own = sample_entry("a");
    own.metadata = {{"kernel", "own"}};
    REQUIRE(store.put(own));
    const FindResult found = store.find(request_a, sample_producer);
    REQUIRE(found);
    CHECK(found.tier == Tier::root);
    CHECK(*found.entry == own);
}

TEST_CASE("a store that may not write takes no pack but reads those that are there") {
    const TempDir folder;
    Warnings warnings;
    const std::string root = folder / "root";
    Store reader(settings_for(root, warnings, StoreMode::read_only));
    CHECK(put(reader, sample_pack()) == "the cache is read-only");
    Store off(settings_for(root, warnings, StoreMode::off));
    CHECK(put(off, sample_pack()) == "the cache is off");
    CHECK_FALSE(fs::exists(root));
    Store writer(settings_for(root, warnings));
    put(writer, sample_pack());
    CHECK(Store(settings_for(root, warnings, StoreMode::read_only)).find(request_a));
}

TEST_CASE("a damaged pack is not put into a store") {
    const TempDir folder;
    Warnings warnings;
    Store store(settings_for(folder / "root", warnings));
    CHECK(put(store, pack_with_damaged_blob()) == "an entry's bytes do not match their checksum");
    CHECK(put(store, to_bytes("text")) == "it is shorter than a header");
    CHECK(files_below(folder / "root").empty());
}

TEST_CASE("a pack with a damaged index is moved to the quarantine with one warning") {
    const TempDir folder;
    Warnings warnings;
    const std::string root = folder / "root";
    Store writer(settings_for(root, warnings));
    const std::string path = put(writer, sample_pack());
    Bytes damaged = sample_pack();
    damaged[130] ^= std::byte{1};
    write_file(path, damaged);

    Store reader(settings_for(root, warnings, StoreMode::read_only));
    CHECK_FALSE(reader.find(request_a));
    CHECK_FALSE(reader.find(request_b));
    CHECK(warnings.text() ==
          "cache: ignored '" + path + "': the index does not match its checksum\n");
    CHECK(fs::exists(path));

    Warnings more;
    Store store(settings_for(root, more));
    CHECK_FALSE(store.find(request_a));
    CHECK_FALSE(store.find(request_b));
    CHECK(more.text() == "cache: dropped '" + path + "': the index does not match its checksum\n");
    CHECK_FALSE(fs::exists(path));
    CHECK(fs::exists(root + "/quarantine/" + fs::path(path).filename().string()));
    // Storing the pack again repairs it.
    put(store, sample_pack());
    CHECK(store.find(request_a));
}

TEST_CASE("a damaged entry of a pack is a miss and the others are found") {
    const TempDir folder;
    Warnings warnings;
    const std::string root = folder / "root";
    Store writer(settings_for(root, warnings));
    Entry own = sample_entry("b");
    own.sections = {{section_tag("cubn"), to_bytes("only b")}};
    const Bytes pack = encode_pack({sample_entry("a"), own});
    const std::string path = put(writer, pack);
    Bytes damaged = pack;
    const std::string_view text = as_text(damaged);
    damaged[text.find("only b")] ^= std::byte{1};
    write_file(path, damaged);
    Store store(settings_for(root, warnings));
    CHECK(store.find(request_a));
    const FindResult found = store.find(request_b);
    CHECK(found.reason == MissReason::damaged);
    CHECK(found.path == path);
    CHECK(warnings.text() ==
          "cache: ignored '" + path + "': an entry's bytes do not match their checksum\n");
    CHECK(fs::exists(path));
}

TEST_CASE("a pack of a newer format is left alone without a word") {
    const TempDir folder;
    Warnings warnings;
    Store writer(settings_for(folder / "root", warnings));
    const std::string path = put(writer, sample_pack());
    Bytes newer = sample_pack();
    newer[8] = std::byte{2};
    write_file(path, newer);
    Store store(settings_for(folder / "root", warnings));
    CHECK(store.find(request_a).reason == MissReason::absent);
    CHECK(fs::exists(path));
    CHECK(warnings.text() == "");
}

TEST_CASE("what is no file in a pack's place is moved away and other names are left alone") {
    const TempDir folder;
    Warnings warnings;
    const std::string root = folder / "root";
    Store writer(settings_for(root, warnings));
    const std::string path = put(writer, sample_pack());
    const std::string packs = fs::path(path).parent_path();
    fs::rename(path, packs + "/library.kgp");  // not a name that the store uses
    fs::rename(packs + "/library.kgp", packs + "/real");
    fs::create_symlink("real", path);
    Store store(settings_for(root, warnings));
    CHECK_FALSE(store.find(request_a));
    CHECK(warnings.text() == "cache: dropped '" + path + "': the entry is a symbolic link\n");
    CHECK_FALSE(fs::is_symlink(path));
    CHECK(fs::exists(packs + "/real"));
}

TEST_CASE("a pack that belongs to another user is not used") {
    if (::geteuid() != 0) {
        WARN("SKIPPED, needs root: another user's file");
        return;
    }
    const TempDir folder;
    Warnings warnings;
    Store writer(settings_for(folder / "root", warnings));
    const std::string path = put(writer, sample_pack());
    REQUIRE(::lchown(path.c_str(), other_user, static_cast<gid_t>(-1)) == 0);
    Store store(settings_for(folder / "root", warnings));
    CHECK_FALSE(store.find(request_a));
    CHECK(warnings.text() == "cache: dropped '" + path + "': the file belongs to user 65534\n");
}

TEST_CASE("a pack that goes or is cut while a store knows it is a miss") {
    const TempDir folder;
    Warnings warnings;
    Store store(settings_for(folder / "root", warnings));
    const std::string path = put(store, sample_pack());
    REQUIRE(store.find(request_a));
    fs::resize_file(path, 200);
    CHECK_FALSE(store.find(request_a));
    fs::remove(path);
    CHECK_FALSE(store.find(request_a));
    fs::remove_all(folder / "root");
    CHECK_FALSE(store.find(request_a));
    put(store, sample_pack());
    CHECK(store.find(request_a));
}

TEST_CASE("a pack's entry that was rejected is not given again and the pack stays") {
    const TempDir folder;
    Warnings warnings;
    Store store(settings_for(folder / "root", warnings));
    const std::string path = put(store, sample_pack());
    const FindResult found = store.find(request_a, sample_producer);
    REQUIRE(found);
    store.reject(request_a, sample_producer, "the driver refused it", found.tier, found.path);
    CHECK_FALSE(store.find(request_a, sample_producer));
    CHECK(store.find(request_b, sample_producer));
    CHECK(fs::exists(path));
    CHECK(warnings.text() == "cache: ignored '" + path + "': the driver refused it\n");
}

TEST_CASE("a hit renews a pack's time of use when it is old and only where the store may write") {
    const TempDir folder;
    Warnings warnings;
    Store store(settings_for(folder / "root", warnings));
    const std::string path = put(store, sample_pack());
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(2);
    const auto recent = fs::file_time_type::clock::now() - std::chrono::minutes(30);
    fs::last_write_time(path, old);
    CHECK(Store(settings_for(folder / "root", warnings, StoreMode::read_only)).find(request_a));
    CHECK(fs::last_write_time(path) == old);
    CHECK(store.find(request_a));
    CHECK(fs::last_write_time(path) > recent);
    fs::last_write_time(path, recent);
    CHECK(store.find(request_a));
    CHECK(fs::last_write_time(path) == recent);
}

TEST_CASE("read-only places are packs and directories with packs") {
    const TempDir folder;
    Warnings warnings;
    write_file(folder / "a.kgp", encode_pack({sample_entry("a")}));
    fs::permissions(folder / "a.kgp", fs::perms(0644));
    Store(settings_for(folder / "installed", warnings)).put_pack(encode_pack({sample_entry("b")}));
    StoreSettings settings = settings_for(folder / "root", warnings);
    settings.read_only = {folder / "a.kgp", folder / "installed"};
    Store store(settings);
    const FindResult a = store.find(request_a, "another compiler");
    REQUIRE(a);
    CHECK(a.path == folder / "a.kgp");
    CHECK(*a.entry == without_time(sample_entry("a")));
    const FindResult b = store.find(request_b);
    REQUIRE(b);
    CHECK(b.path.starts_with(folder / "installed/v1/packs/"));
    CHECK(warnings.text() == "");
    CHECK_FALSE(fs::exists(folder / "root"));
}

TEST_CASE("a pack as a read-only place is refused if it is missing or damaged or open to others") {
    const TempDir folder;
    const auto problem = [&](const std::string& name) {
        return PackPlace(folder / name, TrustMode::owner).problem();
    };
    write_file(folder / "text.kgp", to_bytes(std::string(200, 't')));
    write_file(folder / "short.kgp", to_bytes("t"));
    write_file(folder / "open.kgp", sample_pack());
    fs::permissions(folder / "text.kgp", fs::perms(0600));
    fs::permissions(folder / "short.kgp", fs::perms(0600));
    fs::permissions(folder / "open.kgp", fs::perms(0666));
    fs::create_directory(folder / "folder.kgp");
    fs::create_symlink("open.kgp", folder / "link.kgp");
    REQUIRE(::mkfifo((folder / "pipe.kgp").c_str(), 0600) == 0);
    CHECK(problem("missing.kgp") == "it does not exist");
    CHECK(problem("missing/pack.kgp") == "it does not exist");
    CHECK(problem("text.kgp") == "it is not a pack");
    CHECK(problem("short.kgp") == "it is shorter than a header");
    CHECK(problem("open.kgp") == "the file may be written by others (mode 0666)");
    CHECK(problem("folder.kgp") == "it is not a regular file");
    CHECK(problem("pipe.kgp") == "it is not a regular file");
    CHECK(problem("link.kgp") == "the entry is a symbolic link");
    CHECK(PackPlace(folder / "open.kgp", TrustMode::any).problem() == "");

    Warnings warnings;
    StoreSettings settings = settings_for(folder / "root", warnings);
    settings.read_only = {folder / "text.kgp"};
    Store store(settings);
    CHECK_FALSE(store.find(request_a));
    CHECK_FALSE(store.find(request_b));
    CHECK(warnings.text() ==
          "cache: '" + folder.path() + "/text.kgp' is ignored: it is not a pack\n");
}

TEST_CASE("a pack in memory is a place and damage to it is noticed at each look") {
    Bytes pack = sample_pack();
    PackPlace place("embedded pack sample", pack);
    const auto all = [](const Entry&) { return true; };
    CHECK(place.problem() == "");
    const FindResult found = place.find(request_a, all);
    REQUIRE(found);
    CHECK(found.path == "embedded pack sample");
    CHECK_FALSE(place.find(request_a, [](const Entry&) { return false; }));
    CHECK(place.find(sha256("c"), all).reason == MissReason::absent);
    pack.back() ^= std::byte{1};
    CHECK(place.find(request_a, all).reason == MissReason::damaged);
}

TEST_CASE("all entries of a store and its packs are collected once each") {
    const TempDir folder;
    Warnings warnings;
    Store store(settings_for(folder / "root", warnings));
    Entry own = sample_entry("a");
    own.metadata = {{"kernel", "own"}};
    REQUIRE(store.put(own));
    REQUIRE(store.put(sample_entry("c")));
    put(store, sample_pack());
    write_file(store.entry_path(sha256("c"), sample_producer), to_bytes("damaged"));

    const RootResult root = open_root(folder / "root", TrustMode::owner, CreateRoot::no);
    const auto all = [](const Entry&) { return true; };
    const CollectedEntries found = collect_entries(root.directory.get(), TrustMode::owner, all);
    CHECK(found.error == 0);
    CHECK(found.unusable == 1);
    REQUIRE(found.entries.size() == 2);
    CHECK(found.entries[0] == own);
    CHECK(found.entries[1] == without_time(sample_entry("b")));
    const auto none = [](const Entry&) { return false; };
    CHECK(collect_entries(root.directory.get(), TrustMode::owner, none).entries.empty());
}
