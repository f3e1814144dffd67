// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "entry.hpp"
#include "little_endian.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"

using namespace kgen::cache;

namespace {

using Bytes = std::vector<std::byte>;

template <class Integer>
void put_at(Bytes& file, std::size_t offset, Integer value) {
    Bytes bytes;
    append_integer(bytes, value);
    std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
}

void put_digest(Bytes& file, std::size_t offset, const Digest& digest) {
    std::memcpy(file.data() + offset, digest.bytes.data(), sizeof digest);
}

// Recomputes the header's own digest, as an attacker would.
void seal(Bytes& file) {
    put_digest(file, 160, sha256(std::span(file).first(160)));
}

DecodeProblem problem_of(std::span<const std::byte> file) {
    const DecodeResult result = decode_entry(file);
    CHECK(result.entry.has_value() == (result.problem == DecodeProblem::none));
    return result.problem;
}

// Returns an entry file with this metadata and section table, and `payload` zero bytes as its payload. The
// digests of the index and of the header match.
Bytes file_with_index(const Bytes& metadata, const Bytes& table, std::size_t payload = 0) {
    Bytes file = encode_entry(Entry{});
    file.resize(192);
    Bytes index = metadata;
    index.insert(index.end(), table.begin(), table.end());
    put_at(file, 24, static_cast<std::uint32_t>(metadata.size()));
    put_at(file, 28, static_cast<std::uint32_t>(table.size() / 48));
    put_at(file, 32, std::uint64_t{payload});
    put_digest(file, 112, sha256(index));
    seal(file);
    file.insert(file.end(), index.begin(), index.end());
    file.resize(file.size() + payload);
    return file;
}

Bytes record(std::uint16_t tag, std::uint32_t length, std::string_view value) {
    Bytes bytes;
    append_integer(bytes, tag);
    append_integer(bytes, length);
    const Bytes text = to_bytes(value);
    bytes.insert(bytes.end(), text.begin(), text.end());
    return bytes;
}

Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Bytes table_row(std::uint32_t zero, std::uint64_t length, const Digest& digest) {
    Bytes row;
    append_integer(row, section_tag("cubn"));
    append_integer(row, zero);
    append_integer(row, length);
    row.insert(row.end(), digest.bytes.begin(), digest.bytes.end());
    return row;
}

}  // namespace

TEST_CASE("an entry survives encoding and decoding") {
    Entry empty;
    Entry awkward = sample_entry("awkward", 100'000);
    awkward.producer_identity = std::string("a\0b\n", 4);
    awkward.created_s = -1;
    awkward.metadata = {{"", ""}, {"twice", "1"}, {"twice", "2"}, {std::string(65535, 'n'), "v"}};
    awkward.sections.push_back({0, {}});
    awkward.sections.push_back({0xffffffff, to_bytes("x")});
    for (const Entry& entry : {empty, sample_entry(), awkward}) {
        const DecodeResult result = decode_entry(encode_entry(entry));
        CHECK(result.problem == DecodeProblem::none);
        REQUIRE(result.entry.has_value());
        CHECK(*result.entry == entry);
    }
}

TEST_CASE("an encoded entry is laid out as documented") {
    const Entry entry = sample_entry();
    const Bytes file = encode_entry(entry);

    // The expected bytes are written field by field from the table in cache/entry.hpp.
    Bytes metadata = record(1, static_cast<std::uint32_t>(sample_producer.size()), sample_producer);
    metadata = metadata + record(2, 2 + 6 + 4, std::string("\x06\0", 2) + "kernel" + "axpy");
    metadata = metadata + record(2, 2 + 6 + 9, std::string("\x06\0", 2) + "symbol" + "kgen_axpy");
    metadata = metadata + record(2, 2 + 7, std::string("\x07\0", 2) + "options");
    Bytes index = metadata;
    for (const Section& section : entry.sections) {
        append_integer(index, section.tag);
        append_integer(index, std::uint32_t{0});
        append_integer(index, std::uint64_t{section.bytes.size()});
        const Digest digest = sha256(section.bytes);
        index.insert(index.end(), digest.bytes.begin(), digest.bytes.end());
    }
    Bytes expected = to_bytes("\x93KGEN\r\n\x1a");
    expected.resize(192);
    put_at(expected, 8, std::uint16_t{1});
    put_at(expected, 10, std::uint16_t{192});
    put_at(expected, 16, std::uint64_t{1'700'000'000});
    put_at(expected, 24, static_cast<std::uint32_t>(metadata.size()));
    put_at(expected, 28, std::uint32_t{2});
    put_at(expected, 32, std::uint64_t{52});
    put_digest(expected, 48, entry.request);
    put_digest(expected, 80, sha256(sample_producer));
    put_digest(expected, 112, sha256(index));
    seal(expected);
    expected = expected + index + entry.sections[0].bytes + entry.sections[1].bytes;
    CHECK(file == expected);
    CHECK(entry.sections[0].tag == 0x6e627563);  // 'c' is the lowest byte
}

TEST_CASE("sections and metadata are found by tag and name") {
    const Entry entry = sample_entry();
    REQUIRE(entry.find(section_tag("ptx ")) != nullptr);
    CHECK(entry.find(section_tag("ptx "))->bytes == to_bytes(".version 8.8"));
    CHECK(entry.find(section_tag("none")) == nullptr);
    CHECK(entry.value("symbol") == "kgen_axpy");
    CHECK(entry.value("options") == "");
    CHECK_FALSE(entry.value("absent"));
}

TEST_CASE("any flipped bit of an entry is noticed") {
    const Bytes good = encode_entry(sample_entry());
    std::mt19937 random(7);
    for (std::size_t offset = 0; offset < good.size(); ++offset) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            // Tests every bit of the header, and one bit of each later byte.
            if (offset >= 192 && bit != 0) break;
            const unsigned chosen = offset < 192 ? bit : static_cast<unsigned>(random() % 8);
            Bytes bad = good;
            bad[offset] ^= std::byte{1} << chosen;
            INFO("byte " << offset << ", bit " << chosen);
            const DecodeProblem problem = problem_of(bad);
            CHECK(problem == (offset < 8                  ? DecodeProblem::bad_magic
                              : offset < 10               ? DecodeProblem::unknown_version
                              : offset < 192              ? DecodeProblem::header_damaged
                              : offset < good.size() - 52 ? DecodeProblem::index_damaged
                                                          : DecodeProblem::section_damaged));
        }
    }
}

TEST_CASE("an entry cut short or grown is noticed") {
    const Bytes good = encode_entry(sample_entry());
    for (std::size_t length = 0; length < good.size(); ++length) {
        INFO("length " << length);
        // The buffer has exactly that length, so AddressSanitizer reports a read past its end.
        const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
        CHECK(problem_of(cut) ==
              (length < 192 ? DecodeProblem::too_short : DecodeProblem::wrong_length));
    }
    Bytes longer = good;
    longer.push_back(std::byte{0});
    CHECK(problem_of(longer) == DecodeProblem::wrong_length);
    longer.resize(good.size() + (1 << 20));
    CHECK(problem_of(longer) == DecodeProblem::wrong_length);
}

TEST_CASE("a header with a right digest and a wrong field is refused before its lengths are used") {
    struct Case {
        std::string what;
        std::function<void(Bytes&)> change;
        DecodeProblem problem;
    };
    const auto u32 = [](std::size_t at, std::uint32_t value) {
        return [=](Bytes& file) { put_at(file, at, value); };
    };
    const auto u64 = [](std::size_t at, std::uint64_t value) {
        return [=](Bytes& file) { put_at(file, at, value); };
    };
    const auto u16 = [](std::size_t at, std::uint16_t value) {
        return [=](Bytes& file) { put_at(file, at, value); };
    };
    using enum DecodeProblem;
    const std::vector<Case> cases = {
        {"version 0", u16(8, 0), unknown_version},
        {"version 2", u16(8, 2), unknown_version},
        {"header length 191", u16(10, 191), bad_field},
        {"first flag", u32(12, 1), unknown_flag},
        {"last flag", u32(12, 0x80000000), unknown_flag},
        {"metadata of 2^32-1", u32(24, 0xffffffff), bad_field},
        {"metadata one over the limit", u32(24, (1U << 20) + 1), bad_field},
        {"metadata at the limit", u32(24, 1U << 20), wrong_length},
        {"metadata one too few", u32(24, 0), wrong_length},
        {"2^32-1 sections", u32(28, 0xffffffff), bad_field},
        {"65 sections", u32(28, 65), bad_field},
        {"one section more", u32(28, 3), wrong_length},
        {"payload of 2^63", u64(32, std::uint64_t{1} << 63), bad_field},
        {"payload of 2^64-1", u64(32, ~std::uint64_t{0}), bad_field},
        {"payload one over the limit", u64(32, (std::uint64_t{1} << 30) + 1), bad_field},
        {"payload at the limit", u64(32, std::uint64_t{1} << 30), wrong_length},
        {"reserved at 40", u64(40, 1), bad_field},
        {"reserved at 144", u64(144, 1), bad_field},
        {"reserved at 152", u64(152, std::uint64_t{1} << 63), bad_field},
        {"another producer", u64(80, 0), foreign_producer},
        {"another index digest", u64(112, 0), index_damaged},
    };
    for (const Case& row : cases) {
        INFO(row.what);
        Bytes file = encode_entry(sample_entry());
        row.change(file);
        seal(file);
        CHECK(problem_of(file) == row.problem);
    }
}

TEST_CASE("metadata and tables that do not read are refused although their digests are right") {
    const Bytes producer = record(1, 1, "p");
    const Digest of_empty = sha256("");
    struct Case {
        std::string what;
        Bytes metadata;
        Bytes table;
        std::size_t payload;
        DecodeProblem problem;
    };
    using enum DecodeProblem;
    const std::vector<Case> cases = {
        {"no producer", {}, {}, 0, malformed_metadata},
        {"two producers", producer + producer, {}, 0, malformed_metadata},
        {"half a tag", producer + to_bytes("\2"), {}, 0, malformed_metadata},
        {"half a length", producer + to_bytes("\2_\1"), {}, 0, malformed_metadata},
        {"a record too long", producer + record(2, 5, "abcd"), {}, 0, malformed_metadata},
        {"a length of 2^32-1", producer + record(2, 0xffffffff, "ab"), {}, 0, malformed_metadata},
        {"a value without its name", producer + record(2, 1, "a"), {}, 0, malformed_metadata},
        {"a name longer than its value",
         producer + record(2, 3, "\5_a"),
         {},
         0,
         malformed_metadata},
        {"a section beyond the payload", producer, table_row(0, 1, of_empty), 0, malformed_table},
        {"a section of 2^64-1", producer, table_row(0, ~0ULL, of_empty), 0, malformed_table},
        {"payload that no section has", producer, table_row(0, 0, of_empty), 1, malformed_table},
        {"payload without sections", producer, {}, 1, malformed_table},
        {"a row's reserved field", producer, table_row(1, 0, of_empty), 0, malformed_table},
        {"a section of another digest", producer, table_row(0, 1, of_empty), 1, section_damaged},
    };
    for (const Case& row : cases) {
        INFO(row.what);
        Bytes file = file_with_index(row.metadata, row.table, row.payload);
        put_digest(file, 80, sha256("p"));
        seal(file);
        CHECK(problem_of(file) == row.problem);
    }
}

TEST_CASE("metadata of unknown tags are skipped") {
    Bytes file = file_with_index(record(9, 3, "new") + record(1, 1, "p"), {});
    put_digest(file, 80, sha256("p"));
    seal(file);
    const DecodeResult result = decode_entry(file);
    CHECK(result.problem == DecodeProblem::none);
    REQUIRE(result.entry.has_value());
    CHECK(result.entry->producer_identity == "p");
    CHECK(result.entry->metadata.empty());
}

TEST_CASE("an entry over a limit is not encoded") {
    Entry entry = sample_entry();
    entry.metadata = {{"big", std::string(1 << 20, 'x')}};
    CHECK(KGEN_MESSAGE_OF(std::length_error, encode_entry(entry)) ==
          "cache entry: bytes of metadata: got 1048624, at most 1048576 fit");
    entry.metadata = {{std::string(65536, 'n'), ""}};
    CHECK(KGEN_MESSAGE_OF(std::length_error, encode_entry(entry)) ==
          "cache entry: bytes in the name of a metadata value: got 65536, at most 65535 fit");
    entry = sample_entry();
    entry.sections.assign(65, {});
    CHECK(KGEN_MESSAGE_OF(std::length_error, encode_entry(entry)) ==
          "cache entry: sections: got 65, at most 64 fit");
}

TEST_CASE("only bytes that a newer kgen may have written are left alone") {
    for (int k = 0; k <= static_cast<int>(DecodeProblem::foreign_producer); ++k) {
        const auto problem = static_cast<DecodeProblem>(k);
        INFO(to_text(problem));
        CHECK(may_be_newer(problem) == (problem == DecodeProblem::unknown_version ||
                                        problem == DecodeProblem::unknown_flag));
        CHECK(to_text(problem) != "unknown problem");
    }
}
