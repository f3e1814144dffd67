// SPDX-License-Identifier: MIT
//
// Packs as bytes: their entries are returned unchanged, damage never yields an entry, and a
// hostile pack is refused before memory is allocated for what it claims.
#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "little_endian.hpp"
#include "pack_format.hpp"
#include "pack_reader.hpp"
#include "support/allocation_count.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"

using namespace kgen::cache;

namespace {

using Bytes = std::vector<std::byte>;

template <class Integer>
void put_at(Bytes& pack, std::size_t offset, Integer value) {
    Bytes bytes;
    append_integer(bytes, value);
    std::copy(bytes.begin(), bytes.end(), pack.begin() + static_cast<std::ptrdiff_t>(offset));
}

void put_digest(Bytes& pack, std::size_t offset, const Digest& digest) {
    std::memcpy(pack.data() + offset, digest.bytes.data(), sizeof digest);
}

// Recomputes the digests of the header and the index, as an attacker would.
void seal(Bytes& pack, std::size_t index_bytes) {
    put_digest(pack, 48, sha256(std::span(pack).subspan(128, index_bytes)));
    put_digest(pack, 96, sha256(std::span(pack).first(96)));
}

PackProblem problem_of(std::span<const std::byte> pack) {
    const PackOpening opening = PackReader::open(pack);
    CHECK((opening.reader != nullptr) == (opening.problem == PackProblem::none));
    return opening.reader == nullptr ? opening.problem : opening.reader->verify();
}

Entry without_time(Entry entry) {
    entry.created_s = 0;
    return entry;
}

// Three entries. Two of one compiler share a cubin, and one request has entries of two compilers.
std::vector<Entry> three_entries() {
    Entry first = sample_entry("first");
    Entry second = sample_entry("second");
    second.metadata = {{"symbol", "kgen_other"}};
    Entry third = sample_entry("second");
    third.producer_identity = "another compiler";
    third.sections = {{section_tag("cubn"), to_bytes("its own")}};
    return {first, second, third};
}

constexpr std::size_t three_index_bytes = 3 * 80 + 5 * 8 + 6 * 48;

}  // namespace

TEST_CASE("a pack gives each entry as it was put in but for its time") {
    const Bytes pack = encode_pack(three_entries());
    const PackOpening opening = PackReader::open(pack);
    REQUIRE(opening.reader != nullptr);
    CHECK(opening.reader->verify() == PackProblem::none);
    CHECK(opening.reader->index().size() == 3);
    for (const Entry& entry : three_entries()) {
        const PackFind found = opening.reader->find(entry.request, sha256(entry.producer_identity));
        REQUIRE(found.entry.has_value());
        CHECK(*found.entry == without_time(entry));
    }
    // Any producer is accepted.
    CHECK(opening.reader->find(sha256("second")).entry.has_value());
    // No entry has this request, or this request and producer.
    CHECK_FALSE(opening.reader->find(sha256("third")).entry.has_value());
    CHECK_FALSE(opening.reader->find(sha256("first"), sha256("another compiler")).entry);
    CHECK(opening.reader->find(sha256("third")).problem == PackProblem::none);

    std::vector<PackListing> listed;
    REQUIRE(opening.reader->list(listed) == PackProblem::none);
    REQUIRE(listed.size() == 3);
    CHECK(std::is_sorted(listed.begin(), listed.end(), [](const auto& a, const auto& b) {
        return a.request < b.request;
    }));
    CHECK(listed[0].sections.size() + listed[1].sections.size() + listed[2].sections.size() == 5);
}

TEST_CASE("an entry without sections or metadata and awkward bytes survive a pack") {
    Entry empty;
    Entry awkward = sample_entry("awkward", 100'000);
    awkward.producer_identity = std::string("a\0b\n", 4);
    awkward.metadata = {{"", ""}, {"twice", "1"}, {"twice", "2"}};
    awkward.sections.push_back({0, {}});
    awkward.sections.push_back({0xffffffff, awkward.sections[0].bytes});
    const Bytes pack = encode_pack({awkward, empty});
    const PackOpening opening = PackReader::open(pack);
    REQUIRE(opening.reader != nullptr);
    CHECK(opening.reader->find(empty.request).entry == empty);
    CHECK(opening.reader->find(awkward.request).entry == without_time(awkward));

    const Bytes none = encode_pack({});
    CHECK(none.size() == 128);
    CHECK(problem_of(none) == PackProblem::none);
}

TEST_CASE("a pack does not depend on the order of its entries nor on when they were made") {
    std::vector<Entry> entries = three_entries();
    const Bytes pack = encode_pack(entries);
    std::mt19937 random(1);
    for (int k = 0; k < 6; ++k) {
        std::shuffle(entries.begin(), entries.end(), random);
        for (Entry& entry : entries) entry.created_s = static_cast<std::int64_t>(random());
        CHECK(encode_pack(entries) == pack);
    }
    entries.push_back(entries.front());  // equal entries are stored once
    CHECK(encode_pack(entries) == pack);

    entries.back().metadata = {{"symbol", "different"}};
    CHECK(KGEN_MESSAGE_OF(std::invalid_argument, encode_pack(entries)) ==
          "cache pack: two different entries of request " + entries.back().request.to_hex() +
              " by one producer");
}

TEST_CASE("equal sections of a pack are stored once") {
    std::vector<Entry> entries;
    for (int k = 0; k < 16; ++k) {
        Entry entry = sample_entry("kernel " + std::to_string(k), 50'000);
        entry.metadata = {{"symbol", "kgen_" + std::to_string(k)}};
        entries.push_back(std::move(entry));
    }
    const Bytes pack = encode_pack(entries);
    CHECK(pack.size() < 50'000 + 16 * 400);
    CHECK(problem_of(pack) == PackProblem::none);
}

TEST_CASE("a pack's digest names its contents") {
    const Bytes pack = encode_pack(three_entries());
    std::vector<Entry> changed = three_entries();
    changed[2].sections[0].bytes[0] ^= std::byte{1};
    const Bytes other = encode_pack(changed);
    CHECK(other.size() == pack.size());
    CHECK(pack_digest(pack) != pack_digest(other));
    CHECK(PackReader::open(pack).reader->digest() == pack_digest(pack));
}

TEST_CASE("a flipped bit anywhere in a pack never gives a wrong entry and is always noticed") {
    const std::vector<Entry> entries = three_entries();
    Bytes pack = encode_pack(entries);
    int wrong = 0;
    int unnoticed = 0;
    for (std::size_t bit = 0; bit < 8 * pack.size(); ++bit) {
        const std::byte mask{static_cast<unsigned char>(1U << (bit % 8))};
        pack[bit / 8] ^= mask;
        const PackOpening opening = PackReader::open(pack);
        if (opening.reader != nullptr) {
            unnoticed += opening.reader->verify() == PackProblem::none ? 1 : 0;
            for (const Entry& entry : entries) {
                const PackFind found =
                    opening.reader->find(entry.request, sha256(entry.producer_identity));
                wrong += found.entry && *found.entry != without_time(entry) ? 1 : 0;
            }
        }
        pack[bit / 8] ^= mask;
    }
    CHECK(wrong == 0);
    CHECK(unnoticed == 0);
}

TEST_CASE("a pack that is cut anywhere or has bytes too many is refused") {
    const Bytes pack = encode_pack(three_entries());
    int accepted = 0;
    for (std::size_t length = 0; length < pack.size(); ++length) {
        accepted += PackReader::open(std::span(pack).first(length)).reader != nullptr ? 1 : 0;
    }
    CHECK(accepted == 0);
    Bytes longer = pack;
    longer.push_back({});
    CHECK(problem_of(longer) == PackProblem::wrong_length);
}

TEST_CASE("each field of a pack's header is checked although its digest is right") {
    using enum PackProblem;
    struct Case {
        std::string what;
        std::function<void(Bytes&)> change;
        PackProblem problem;
    };
    const auto u16 = [](std::size_t at, std::uint16_t value) {
        return [=](Bytes& pack) { put_at(pack, at, value); };
    };
    const auto u32 = [](std::size_t at, std::uint32_t value) {
        return [=](Bytes& pack) { put_at(pack, at, value); };
    };
    const auto u64 = [](std::size_t at, std::uint64_t value) {
        return [=](Bytes& pack) { put_at(pack, at, value); };
    };
    const std::vector<Case> cases = {
        {"another magic", u16(0, 0x4b94), bad_magic},
        {"an entry's magic", u32(4, 0x0a0d4e45), bad_magic},
        {"version 2", u16(8, 2), unknown_version},
        {"header of 129", u16(10, 129), bad_field},
        {"a flag", u32(12, 1U << 31), unknown_flag},
        {"2^32-1 entries", u32(16, 0xffffffff), bad_field},
        {"one entry more", u32(16, 4), wrong_length},
        {"2^32-1 sections", u32(20, 0xffffffff), bad_field},
        {"2^32-1 blobs", u32(24, 0xffffffff), bad_field},
        {"an index of 64 MiB and a row", u32(24, (1U << 26) / 48 + 1), bad_field},
        {"reserved at 28", u32(28, 1), bad_field},
        {"payload of 2^64-1", u64(32, ~std::uint64_t{0}), bad_field},
        {"payload of 4 GiB", u64(32, std::uint64_t{1} << 32), bad_field},
        {"payload of 2 GiB", u64(32, std::uint64_t{1} << 31), wrong_length},
        {"reserved at 40", u64(40, 1), bad_field},
        {"reserved at 80", u64(80, 1), bad_field},
        {"reserved at 88", u64(88, std::uint64_t{1} << 63), bad_field},
        {"another index digest", u64(48, 0), index_damaged},
    };
    for (const Case& row : cases) {
        INFO(row.what);
        Bytes pack = encode_pack(three_entries());
        row.change(pack);
        put_digest(pack, 96, sha256(std::span(pack).first(96)));
        CHECK(problem_of(pack) == row.problem);
    }
}

TEST_CASE("an index that does not fit what it describes is refused although its digest is right") {
    const Bytes pack = encode_pack(three_entries());
    constexpr std::size_t entry = 128;             // the first of three rows of 80 bytes
    constexpr std::size_t section = 128 + 3 * 80;  // the first of five rows of 8 bytes
    constexpr std::size_t blob = section + 5 * 8;  // the first of six rows of 48 bytes
    const auto swap_entries = [&](Bytes& changed) {
        std::swap_ranges(
            changed.begin() + entry, changed.begin() + entry + 64, changed.begin() + entry + 80);
    };
    struct Case {
        std::string what;
        std::function<void(Bytes&)> change;
    };
    const auto u32 = [](std::size_t at, std::uint32_t value) {
        return [=](Bytes& changed) { put_at(changed, at, value); };
    };
    const auto u64 = [](std::size_t at, std::uint64_t value) {
        return [=](Bytes& changed) { put_at(changed, at, value); };
    };
    const std::vector<Case> cases = {
        {"entries out of order", swap_entries},
        {"the same entry twice",
         [&](Bytes& changed) {
             std::copy_n(changed.begin() + entry, 64, changed.begin() + entry + 80);
         }},
        {"metadata of a blob that is not there", u32(entry + 64, 6)},
        {"metadata of blob 2^32-1", u32(entry + 64, 0xffffffff)},
        {"metadata of a later blob", u32(entry + 64, 1)},
        {"shared metadata", u32(entry + 80 + 64, 0)},
        {"65 sections", u32(entry + 68, 65)},
        {"sections of the next entry", u32(entry + 68, 3)},
        {"sections that overlap", u32(entry + 80 + 72, 0)},
        {"first section 2^32-1", u32(entry + 72, 0xffffffff)},
        {"reserved in an entry", u32(entry + 76, 1)},
        {"a section of a blob that is not there", u32(section + 4, 6)},
        {"a section of blob 2^32-1", u32(section + 4, 0xffffffff)},
        {"a blob that nothing uses", u32(section + 4, 0)},
        {"a blob that does not begin at 0", u64(blob, 1)},
        {"blobs that overlap", u64(blob + 48, 0)},
        {"a blob beyond the end", u64(blob + 5 * 48 + 8, 1000)},
        {"a blob of 2^64-1", u64(blob + 8, ~std::uint64_t{0})},
        {"an offset of 2^64-1", u64(blob + 48, ~std::uint64_t{0})},
        {"bytes after the last blob", u64(blob + 5 * 48 + 8, 0)},
    };
    for (const Case& row : cases) {
        INFO(row.what);
        Bytes changed = pack;
        row.change(changed);
        seal(changed, three_index_bytes);
        CHECK(problem_of(changed) == PackProblem::malformed_index);
    }
}

TEST_CASE("an entry under the request or producer of another does not survive the checks") {
    const Bytes pack = encode_pack(three_entries());
    const auto victim = PackReader::open(pack).reader->index();

    // The producer in the metadata differs from the one in the row.
    Digest attacker = victim.producer(0);
    attacker.bytes[31] ^= std::byte{1};  // keeps the rows in order
    Bytes foreign = pack;
    put_digest(foreign, 128 + 32, attacker);
    seal(foreign, three_index_bytes);
    const PackOpening opening = PackReader::open(foreign);
    REQUIRE(opening.reader != nullptr);
    const PackFind found = opening.reader->find(victim.request(0), attacker);
    CHECK_FALSE(found.entry.has_value());
    CHECK(found.problem == PackProblem::foreign_producer);
    CHECK(opening.reader->verify() == PackProblem::foreign_producer);

    // The bytes of a section do not match their digest.
    Bytes exchanged = pack;
    put_digest(exchanged, 128 + 3 * 80 + 5 * 8 + 48 + 16, sha256("not these bytes"));
    seal(exchanged, three_index_bytes);
    const PackOpening damaged = PackReader::open(exchanged);
    REQUIRE(damaged.reader != nullptr);
    CHECK(damaged.reader->find(victim.request(0), victim.producer(0)).problem ==
          PackProblem::blob_damaged);
    CHECK(damaged.reader->verify() == PackProblem::blob_damaged);
}

TEST_CASE("metadata of a pack that do not read are refused although their digest is right") {
    Bytes pack = encode_pack({sample_entry()});
    const std::size_t index_bytes = 80 + 2 * 8 + 3 * 48;
    const std::size_t metadata = 128 + index_bytes;
    put_at(pack, metadata + 2, std::uint32_t{0xffffffff});  // length of the first record
    const std::size_t blob_row = 128 + 80 + 2 * 8;
    const auto length = ByteReader(std::span(pack).subspan(blob_row + 8)).integer<std::uint64_t>();
    put_digest(pack,
               blob_row + 16,
               sha256(std::span(pack).subspan(metadata, static_cast<std::size_t>(length))));
    seal(pack, index_bytes);
    const PackOpening opening = PackReader::open(pack);
    REQUIRE(opening.reader != nullptr);
    CHECK(opening.reader->find(sha256("request")).problem == PackProblem::malformed_metadata);
    CHECK(opening.reader->verify() == PackProblem::malformed_metadata);
}

TEST_CASE("a hostile pack of 128 bytes makes nobody allocate") {
    // The largest claims that a header may make, with a correct digest: 64 MiB of index and 3 GiB of payload.
    Bytes pack = encode_pack({});
    put_at(pack, 16, std::uint32_t{800'000});
    put_at(pack, 32, std::uint64_t{3} << 30);
    put_digest(pack, 96, sha256(std::span(pack).first(96)));
    CHECK(PackReader::open(pack).problem == PackProblem::wrong_length);
    const PackBytes bytes = pack_bytes(pack);
    PackProblem problem = PackProblem::none;
    CHECK(kgen::test::allocations_of(
              [&] { problem = PackReader::open_index(bytes, pack.size()).problem; }) == 0);
    CHECK(problem == PackProblem::wrong_length);
    // If the claimed file size is wrong as well, only the index is allocated before the pack is refused.
    const std::uint64_t claimed = 128 + std::uint64_t{800'000} * 80 + (std::uint64_t{3} << 30);
    CHECK(PackReader::open_index(bytes, claimed).problem == PackProblem::wrong_length);
}

TEST_CASE("a pack over a limit is not encoded") {
    Entry entry = sample_entry();
    entry.sections.assign(65, {});
    CHECK(KGEN_MESSAGE_OF(std::length_error, encode_pack({entry})) ==
          "cache entry: sections: got 65, at most 64 fit");
    entry = sample_entry();
    entry.metadata = {{"big", std::string(1 << 20, 'x')}};
    CHECK(KGEN_MESSAGE_OF(std::length_error, encode_pack({entry})) ==
          "cache entry: bytes of metadata: got 1048624, at most 1048576 fit");
}

TEST_CASE("only packs that a newer kgen may have written are left alone") {
    for (int k = 0; k <= static_cast<int>(PackProblem::unreadable); ++k) {
        const auto problem = static_cast<PackProblem>(k);
        INFO(to_text(problem));
        CHECK(may_be_newer(problem) ==
              (problem == PackProblem::unknown_version || problem == PackProblem::unknown_flag));
        CHECK(to_text(problem) != "unknown problem");
    }
}
