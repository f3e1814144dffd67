// SPDX-License-Identifier: MIT
#include "array/files/zip_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>
#include <numeric>

#include "array/files/zip_format.hpp"
#include "text/ascii_text.hpp"
#include "text/list.hpp"
#include "text/split.hpp"
#include "text/utf8.hpp"

namespace kgen {

namespace zip {

Extra64::Extra64(std::string_view extra_fields) {
    while (extra_fields.size() >= 4) {
        const std::size_t bytes = number_16(extra_fields, 2);
        if (bytes > extra_fields.size() - 4) throw IoError("its extra fields are truncated");
        if (number_16(extra_fields, 0) == extra64_id) {
            numbers_ = extra_fields.substr(4, bytes);
            return;
        }
        extra_fields.remove_prefix(4 + bytes);
    }
}

std::uint64_t Extra64::take(std::uint32_t short_form, const char* what) {
    if (short_form != all_ones_32) return short_form;
    if (numbers_.size() < 8) throw IoError(fmt::format("its 64-bit {} is missing", what));
    const std::uint64_t number = number_64(numbers_, 0);
    numbers_.remove_prefix(8);
    return number;
}

}  // namespace zip

namespace {

using namespace zip;

constexpr std::size_t longest_comment = 0xffff;
constexpr std::uint64_t longest_directory = std::uint64_t{64} << 20;  // about a million entries

// The directory's position according to the end record, and the offset at which it must end.
struct DirectoryPlace {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t entry_count = 0;
    std::uint64_t end = 0;
};

[[noreturn]] void fail_without_end(const InputFile& file) {
    const std::string start =
        file.read_text(0, static_cast<std::size_t>(std::min<std::uint64_t>(file.size_bytes(), 6)));
    if (start == "\x93NUMPY") throw IoError("is an .npy file, not an .npz file\nload_npy reads it");
    if (start.substr(0, 4) == "PK\x03\x04") {
        throw IoError(
            "truncated: it begins like an .npz file, but has no zip directory at its end");
    }
    throw IoError("not an .npz file: it has no zip directory at its end");
}

// Reads the zip64 end record, which replaces the plain one, if its locator precedes the plain one.
void read_end64(const InputFile& file, std::uint64_t end_offset, DirectoryPlace& place) {
    if (end_offset < locator64_bytes) return;
    const std::uint64_t locator_offset = end_offset - locator64_bytes;
    const std::string locator = file.read_text(locator_offset, locator64_bytes);
    if (number_32(locator, 0) != locator64_signature) return;
    const std::uint64_t offset = number_64(locator, 8);
    if (offset > locator_offset || locator_offset - offset < end64_bytes) {
        throw IoError(
            fmt::format("its zip64 end record is declared at byte {}, but must end at byte {}",
                        offset,
                        locator_offset));
    }
    const std::string end = file.read_text(offset, end64_bytes);
    if (number_32(end, 0) != end64_signature) {
        throw IoError(
            fmt::format("has no zip64 end record at byte {}, where its locator points", offset));
    }
    // Each number of the plain record must be all ones or the same number, so that no reader can find another
    // directory in this file.
    const auto agreed =
        [&](std::uint64_t plain, std::uint64_t all_ones, std::uint64_t number, const char* what) {
            if (plain != all_ones && plain != number) {
                throw IoError(
                    fmt::format("its two end records differ: the {} is {} in one, {} in the other",
                                what,
                                plain,
                                number));
            }
            return number;
        };
    place.entry_count =
        agreed(place.entry_count, all_ones_16, number_64(end, 32), "number of entries");
    place.bytes = agreed(place.bytes, all_ones_32, number_64(end, 40), "directory's size");
    place.offset = agreed(place.offset, all_ones_32, number_64(end, 48), "directory's offset");
    place.end = offset;
}

DirectoryPlace find_directory(const InputFile& file) {
    const std::uint64_t size = file.size_bytes();
    const auto tail_bytes =
        static_cast<std::size_t>(std::min<std::uint64_t>(size, end_bytes + longest_comment));
    const std::string tail = file.read_text(size - tail_bytes, tail_bytes);
    for (std::size_t at = tail_bytes < end_bytes ? 0 : tail_bytes - end_bytes + 1; at-- > 0;) {
        if (number_32(tail, at) != end_signature) continue;
        if (number_16(tail, at + 20) != tail_bytes - at - end_bytes)
            continue;  // these bytes are part of a comment
        DirectoryPlace place;
        place.entry_count = number_16(tail, at + 10);
        place.bytes = number_32(tail, at + 12);
        place.offset = number_32(tail, at + 16);
        place.end = size - tail_bytes + at;
        read_end64(file, place.end, place);
        if (number_16(tail, at + 4) != number_16(tail, at + 6) ||
            number_16(tail, at + 8) != number_16(tail, at + 10)) {
            throw IoError(
                "is one of several parts of an archive\njoin them: zip -s 0 PART --out WHOLE");
        }
        return place;
    }
    fail_without_end(file);
}

// Reads the directory's entries one by one.
class DirectoryReader {
public:
    explicit DirectoryReader(std::string_view bytes) : rest_(bytes) {}

    bool is_at_end() const { return rest_.empty(); }

    ZipEntry next() {
        ++number_;
        if (rest_.size() < entry_bytes) fail("is truncated");
        if (number_32(rest_, 0) != entry_signature)
            fail("does not begin with the signature of an entry");
        const std::string_view fixed = take(entry_bytes);
        const std::string_view name = take(number_16(fixed, 28));
        const std::string_view extra = take(number_16(fixed, 30));
        take(number_16(fixed, 32));  // a comment
        ZipEntry entry;
        entry.name = name;
        entry.flags = number_16(fixed, 8);
        entry.method = number_16(fixed, 10);
        entry.crc = number_32(fixed, 16);
        if (const std::string problem = problem_of(name, entry.flags); !problem.empty()) {
            fail(fmt::format("has the name '{}', which {}", ascii_text(name), problem));
        }
        try {
            Extra64 long_forms(extra);
            entry.bytes = long_forms.take(number_32(fixed, 24), "size");
            entry.packed_bytes = long_forms.take(number_32(fixed, 20), "packed size");
            entry.header_offset = long_forms.take(number_32(fixed, 42), "offset");
        } catch (const IoError& error) {
            throw IoError(fmt::format("entry '{}': {}", ascii_text(name), error.what()));
        }
        return entry;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw IoError(fmt::format("entry {} of the zip directory {}", number_, what));
    }

    std::string_view take(std::size_t bytes) {
        if (bytes > rest_.size()) fail("is truncated");
        const std::string_view taken = rest_.substr(0, bytes);
        rest_.remove_prefix(bytes);
        return taken;
    }

    static std::string problem_of(std::string_view name, std::uint16_t flags) {
        if (!is_ascii(name) && (flags & flag_utf8) == 0) return "is not marked as UTF-8";
        return problem_of_zip_name(name);
    }

    std::string_view rest_;
    std::uint64_t number_ = 0;
};

void require_different_names(const std::vector<ZipEntry>& entries) {
    std::vector<std::string_view> names;
    names.reserve(entries.size());
    for (const ZipEntry& entry : entries) names.push_back(entry.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end())
        throw IoError(fmt::format("two entries are called '{}'", ascii_text(*twice)));
}

// Sets end_limit of each entry. Throws IoError if an entry overlaps the next one or the directory, even if
// its local header had no extra field.
void limit(std::vector<ZipEntry>& entries, std::uint64_t directory_offset) {
    std::vector<std::size_t> order(entries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return entries[a].header_offset < entries[b].header_offset;
    });
    for (std::size_t k = 0; k < order.size(); ++k) {
        ZipEntry& entry = entries[order[k]];
        const std::uint64_t least = local_bytes + entry.name.size();
        if (entry.header_offset > directory_offset ||
            directory_offset - entry.header_offset < least ||
            directory_offset - entry.header_offset - least < entry.packed_bytes) {
            throw IoError(fmt::format(
                "entry '{}' declares {} bytes from byte {} on, but the entries end at byte {}",
                ascii_text(entry.name),
                entry.packed_bytes,
                entry.header_offset,
                directory_offset));
        }
        entry.end_limit = directory_offset;
        if (k + 1 == order.size()) continue;
        const ZipEntry& following = entries[order[k + 1]];
        if (following.header_offset - entry.header_offset < least + entry.packed_bytes) {
            throw IoError(fmt::format("entries '{}' and '{}' overlap",
                                      ascii_text(entry.name),
                                      ascii_text(following.name)));
        }
        entry.end_limit = following.header_offset;
    }
}

}  // namespace

std::string problem_of_zip_name(std::string_view name) {
    if (name.empty()) return "is empty";
    if (name.front() == '/') return "is an absolute path";
    if (is_one_of("..", split(name, '/'))) return "has a '..'";
    for (std::size_t at = 0; at < name.size();) {
        const Utf8Character character = first_character(name.substr(at));
        // Only the shortest form is UTF-8: readers in other languages reject longer forms.
        if (!character.is_utf8) return "is not UTF-8";
        if (character.code < 0x20 || character.code == 0x7f)
            return fmt::format("has the control byte {:#04x}", std::uint32_t{character.code});
        if (character.code == '\\') return "has a '\\'; folders are separated by '/'";
        at += character.bytes;
    }
    return {};
}

std::vector<ZipEntry> read_zip_directory(const InputFile& file) {
    const DirectoryPlace place = find_directory(file);
    if (place.offset > place.end || place.bytes != place.end - place.offset) {
        throw IoError(fmt::format(
            "its zip directory declares {} bytes from byte {} on, but must end at byte {}",
            place.bytes,
            place.offset,
            place.end));
    }
    if (place.bytes > longest_directory) {
        throw IoError(fmt::format(
            "its zip directory has {} bytes, expected at most {}", place.bytes, longest_directory));
    }
    const std::string bytes = file.read_text(place.offset, static_cast<std::size_t>(place.bytes));
    std::vector<ZipEntry> entries;
    DirectoryReader reader(bytes);
    while (!reader.is_at_end()) entries.push_back(reader.next());
    if (entries.size() != place.entry_count) {
        throw IoError(fmt::format("its zip directory has {} entries, its end record says {}",
                                  entries.size(),
                                  place.entry_count));
    }
    require_different_names(entries);
    limit(entries, place.offset);
    return entries;
}

}  // namespace kgen
