// SPDX-License-Identifier: MIT
//
// Listing entries, showing one in full, and a file of the format as first released.
#include <algorithm>
#include <filesystem>
#include <kgen/cache.hpp>
#include <string>
#include <vector>

#include "image/image_entry.hpp"
#include "store.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace kgen;
using namespace kgen::cache;

namespace {

struct Scene {
    TempDir folder;
    Warnings warnings;
    std::string root = folder / "root";
    Store store{settings_for(root, warnings)};

    Entry put(unsigned char first_byte,
              const std::string& producer = std::string(sample_producer)) {
        Entry entry = sample_entry("request");
        entry.request.bytes[0] = std::byte{first_byte};
        entry.producer_identity = producer;
        entry.metadata = {{"kernel", "axpy"},
                          {"symbol", "kgen_axpy"},
                          {"target", "sm_90"},
                          {"producer", "NVRTC 13.0"},
                          {"kgen", "0.1.0"}};
        REQUIRE(store.put(entry));
        return entry;
    }
    std::string path(const Entry& entry) const {
        return store.entry_path(entry.request, entry.producer_identity);
    }
};

}  // namespace

TEST_CASE("entries are listed with what they say of themselves") {
    Scene scene;
    const Entry first = scene.put(0x11);
    const Entry second = scene.put(0x22);
    write_file(scene.path(second), to_bytes("damaged"));
    const std::vector<CacheEntry> entries = list_cache(scene.root);
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].path == scene.path(first));
    CHECK(entries[0].request == first.request.to_hex());
    CHECK(entries[0].kernel == "axpy");
    CHECK(entries[0].symbol == "kgen_axpy");
    CHECK(entries[0].target == "sm_90");
    CHECK(entries[0].producer == "NVRTC 13.0");
    CHECK(entries[0].kgen_version == "0.1.0");
    CHECK(entries[0].size_bytes == encode_entry(first).size());
    CHECK(entries[0].created_s == first.created_s);
    CHECK(entries[0].used_s >= first.created_s);
    CHECK(entries[0].problem == "");
    CHECK(entries[1].request == second.request.to_hex());
    CHECK(entries[1].kernel == "");
    CHECK(entries[1].size_bytes == 7);
    CHECK(entries[1].problem == "the file is shorter than a header");
    CHECK(fs::exists(scene.path(second)));  // listing changes nothing
}

TEST_CASE("an entry is shown in full by its file or the start of its request") {
    Scene scene;
    const Entry entry = scene.put(0x11);
    scene.put(0x22);
    for (const std::string& name :
         {entry.request.to_hex(), entry.request.to_hex().substr(0, 4), scene.path(entry)}) {
        INFO(name);
        const CacheEntryContents contents = inspect_cache_entry(name, scene.root);
        CHECK(contents.entry.path == scene.path(entry));
        CHECK(contents.entry.kernel == "axpy");
        CHECK(contents.entry.used_s >= entry.created_s);
        CHECK(contents.producer_identity == sample_producer);
        CHECK(contents.metadata == entry.metadata);
        REQUIRE(contents.sections.size() == 2);
        CHECK(contents.sections[0].name == "cubin");
        CHECK(contents.sections[0].bytes == std::string(40, 'c'));
        CHECK(contents.sections[0].sha256 == sha256(std::string(40, 'c')).to_hex());
        CHECK(contents.sections[1].name == "ptx");
        CHECK(contents.resources.empty());  // the section is no real cubin
    }
}

TEST_CASE("of code that was compiled for several entries an entry's own kernels are told") {
    Entry entry = sample_entry();
    CHECK(is_own_kernel(entry, "any"));
    entry.metadata.emplace_back("code_symbol", "kgen_axpy__3");
    CHECK(is_own_kernel(entry, "kgen_axpy__3"));
    CHECK_FALSE(is_own_kernel(entry, "kgen_axpy__2"));
    CHECK_FALSE(is_own_kernel(entry, ""));
    entry.metadata.emplace_back("code_accumulator_symbol", "kgen_sums__3");
    CHECK(is_own_kernel(entry, "kgen_sums__3"));
}

TEST_CASE("a name that is no entry's or that of several is refused") {
    Scene scene;
    const Entry entry = scene.put(0x11);
    const Entry other = scene.put(0x11, "another compiler");
    const auto refusal = [&](const std::string& name) {
        return KGEN_MESSAGE_OF(Error, inspect_cache_entry(name, scene.root));
    };
    CHECK(refusal("0123") ==
          "no entry in '" + scene.root + "' has a request that begins with '0123'");
    CHECK(refusal("012") ==
          "'012' is neither a file nor the first 4 or more hexadecimal digits of a request");
    const auto name = [](const Entry& each) {
        return each.request.to_hex() + "-" + sha256(each.producer_identity).short_hex();
    };
    std::vector<std::string> names = {name(entry), name(other)};
    std::sort(names.begin(), names.end());
    const std::string start = entry.request.to_hex().substr(0, 8);
    CHECK(refusal(start) == "2 entries in '" + scene.root + "' have a request that begins with '" +
                                start + "'\nname one by its request and producer: '" + names[0] +
                                "' or '" + names[1] + "'");
    CHECK(inspect_cache_entry(name(other), scene.root).entry.path == scene.path(other));
    CHECK(refusal(scene.folder.path()) == "'" + scene.folder.path() + "' is not a file");
    write_file(scene.folder / "file", to_bytes("x"));
    CHECK(refusal(scene.folder / "file") ==
          "'" + (scene.folder / "file") +
              "' is not a valid entry: the file is shorter than a header");
}

TEST_CASE("the file of format 1 that was released first is still read and written the same") {
    const std::string file = KGEN_SOURCE_DIR "/tests/golden/entry_format_1.kgc";
    Entry entry = sample_entry("golden", 100);
    entry.metadata = {{"kernel", "axpy"}, {"symbol", "kgen_axpy"}, {"target", "sm_90"}};
    if (std::getenv("KGEN_UPDATE_GOLDEN") != nullptr) write_file(file, encode_entry(entry));
    const std::vector<std::byte> bytes = read_file(file);
    const DecodeResult decoded = decode_entry(bytes);
    REQUIRE(decoded.entry.has_value());
    CHECK(*decoded.entry == entry);
    CHECK(encode_entry(entry) == bytes);
    CHECK(inspect_cache_entry(file).entry.kernel == "axpy");
}
