// SPDX-License-Identifier: MIT
//
// .npz files that are truncated, damaged, or crafted to mislead the reader.
#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/npy_files.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

const ArrayOptions on_host{.device = Device::host()};
const NpyOptions load_on_host{.device = Device::host()};

std::string little(std::uint64_t number, int bytes) {
    std::string text;
    for (int k = 0; k < bytes; ++k, number >>= 8) text += static_cast<char>(number & 0xff);
    return text;
}

// Byte offsets in a file with two entries, x.npy and y.npy, each with [0 1 2] in int8.
constexpr std::size_t local_x = 0;
constexpr std::size_t data_x = 35;
constexpr std::size_t local_y = 166;
constexpr std::size_t directory = 332;
constexpr std::size_t entry_x = directory;
constexpr std::size_t entry_y = 383;
constexpr std::size_t end_record = 434;
constexpr std::size_t file_bytes = 456;

std::string plain_file() {
    const Array x = arange(3, int8, on_host);
    save_npz("plain.npz", {{"x", x}, {"y", x}});
    std::string bytes = read_file("plain.npz");
    REQUIRE(bytes.size() == file_bytes);
    return bytes;
}

struct Patch {
    std::size_t at;
    std::string bytes;
};

struct Case {
    std::vector<Patch> patches;
    std::string message;
};

// Returns an archive of one entry with these packed bytes.
std::string archive(const std::string& packed,
                    std::uint64_t bytes,
                    std::uint32_t crc,
                    unsigned method = 8) {
    const std::string name = "x.npy";
    const std::string shared = little(0, 2) + little(method, 2) + little(0, 4) + little(crc, 4) +
                               little(packed.size(), 4) + little(bytes, 4) +
                               little(name.size(), 2) + little(0, 2);
    const std::string local = "PK\3\4" + little(20, 2) + shared + name + packed;
    const std::string entry =
        "PK\1\2" + little(20, 2) + little(20, 2) + shared + little(0, 14) + name;
    return local + entry + "PK\5\6" + little(0, 4) + little(1, 2) + little(1, 2) +
           little(entry.size(), 4) + little(local.size(), 4) + little(0, 2);
}

std::string deflated(const std::string& text) {
    std::string packed(text.size() + 100, '\0');
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    packed.resize(packed.size() - stream.avail_out);
    deflateEnd(&stream);
    return packed;
}

std::uint32_t checksum(const std::string& text) {
    return static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

std::string message_of(const std::string& bytes) {
    write_file("a.npz", bytes);
    return KGEN_MESSAGE_OF(IoError, load_npz("a.npz", load_on_host));
}

}  // namespace

TEST_CASE("an .npz file that says something untrue of itself is refused with the reason") {
    const WorkFolder folder;
    const std::string plain = plain_file();
    const std::vector<Case> cases = {
        // The end record.
        {{{end_record, "XX"}},
         "truncated: it begins like an .npz file, but has no zip directory at its end"},
        {{{0, "XX"}, {end_record, "XX"}}, "not an .npz file: it has no zip directory at its end"},
        {{{0, "\x93NUMPY"}, {end_record, "XX"}},
         "is an .npy file, not an .npz file\nload_npy reads it"},
        {{{end_record + 20, "\1"}},
         "truncated: it begins like an .npz file, but has no zip directory at its end"},
        {{{end_record + 4, "\1"}},
         "is one of several parts of an archive\njoin them: zip -s 0 PART --out WHOLE"},
        {{{end_record + 8, little(3, 2) + little(3, 2)}},
         "its zip directory has 2 entries, its end record says 3"},
        {{{end_record + 12, "\x65"}},
         "its zip directory declares 101 bytes from byte 332 on, but must end at byte 434"},
        {{{end_record + 16, little(0xffffffff, 4)}},
         "its zip directory declares 102 bytes from byte 4294967295 on, but must end at byte 434"},
        // The zip directory.
        {{{entry_y, "XX"}},
         "entry 2 of the zip directory does not begin with the signature of an entry"},
        {{{entry_y + 28, "\x06"}}, "entry 2 of the zip directory is truncated"},
        {{{entry_y + 32, little(0xffff, 2)}}, "entry 2 of the zip directory is truncated"},
        {{{entry_x + 32, little(51, 2)}}, "its zip directory has 1 entries, its end record says 2"},
        {{{entry_x + 32, little(20, 2)}}, "entry 2 of the zip directory is truncated"},
        {{{entry_y + 46, "x"}}, "two entries are called 'x.npy'"},
        {{{entry_y + 46, "/"}},
         "entry 2 of the zip directory has the name '/.npy', which is an absolute path"},
        {{{entry_y + 46, "../.."}},
         "entry 2 of the zip directory has the name '../..', which has a '..'"},
        {{{entry_y + 46, std::string("\0", 1)}},
         "entry 2 of the zip directory has the name '?.npy', which has the control byte 0x00"},
        {{{entry_y + 46, "\xe4"}},
         "entry 2 of the zip directory has the name '?.npy', which is not marked as UTF-8"},
        {{{entry_y + 9, "\x08"}, {entry_y + 46, "\xe4"}},
         "entry 2 of the zip directory has the name '?.npy', which is not UTF-8"},
        {{{entry_y + 49, "zz"}},
         "entry 'y.nzz' is not an array: its name does not end with '.npy'\n"
         "load the arrays by their names"},
        {{{entry_y + 42, little(directory, 4)}},
         "entry 'y.npy' declares 131 bytes from byte 332 on, but the entries end at byte 332"},
        {{{entry_y + 20, little(0xfffffff0, 4)}},
         "entry 'y.npy' declares 4294967280 bytes from byte 166 on, but the entries end at byte "
         "332"},
        {{{entry_y + 42, little(0, 4)}}, "entries 'x.npy' and 'y.npy' overlap"},
        {{{entry_y + 42, little(local_y - 1, 4)}}, "entries 'x.npy' and 'y.npy' overlap"},
        {{{entry_y + 24, little(0xffffffff, 4)}}, "entry 'y.npy': its 64-bit size is missing"},
        {{{entry_y + 20, little(0xffffffff, 4)}},
         "entry 'y.npy': its 64-bit packed size is missing"},
        {{{entry_y + 42, little(0xffffffff, 4)}}, "entry 'y.npy': its 64-bit offset is missing"},
        // An entry of the directory: its flags, method and sizes.
        {{{entry_x + 8, "\1"}},
         "entry 'x.npy': is encrypted\ndecrypt the archive first: kgen asks for no password"},
        {{{entry_x + 10, "\x0c"}},
         "entry 'x.npy': is compressed by method 12 (bzip2), expected stored or deflated\n"
         "write it with numpy.savez_compressed"},
        {{{entry_x + 10, "\x63"}},
         "entry 'x.npy': is compressed by method 99 (unknown), expected stored or deflated\n"
         "write it with numpy.savez_compressed"},
        {{{entry_x + 8, "\x20"}},
         "entry 'x.npy': is compressed by method 0 (a patch), expected stored or deflated\n"
         "write it with numpy.savez_compressed"},
        {{{entry_x + 24, little(132, 4)}},
         "entry 'x.npy': is stored in 131 bytes, but declares 132 bytes"},
        {{{entry_x + 10, "\x08"}, {entry_x + 24, little(131 * 1032 + 1032, 4)}},
         "entry 'x.npy': claims to inflate from 131 to 136224 bytes; deflate expands at most "
         "1032 times"},
        // The entry's own header.
        {{{local_x, "XX"}},
         "entry 'x.npy': has no header at byte 0, where the zip directory points"},
        {{{local_x + 28, "\1"}},
         "entry 'x.npy': has 131 bytes from byte 36 on, beyond byte 166, where the next entry or "
         "the zip directory begins"},
        {{{local_y + 26, little(0xffff, 2)}},
         "entry 'y.npy': has 131 bytes from byte 65731 on, beyond byte 332, where the next entry "
         "or the zip directory "
         "begins"},
        {{{local_x + 30, "z"}},
         "entry 'x.npy': its name in the header differs from the zip directory"},
        {{{local_x + 8, "\x08"}},
         "entry 'x.npy': its compression in the header differs from the zip directory"},
        {{{local_x + 6, "\1"}},
         "entry 'x.npy': its encryption in the header differs from the zip directory"},
        {{{local_x + 22, "\x84"}},
         "entry 'x.npy': its size in the header differs from the zip directory"},
        {{{local_x + 18, "\x84"}},
         "entry 'x.npy': its packed size in the header differs from the zip directory"},
        {{{local_x + 14, "!!"}},
         "entry 'x.npy': its checksum in the header differs from the zip directory"},
        // The entry's data.
        {{{data_x + 130, "\7"}},
         "entry 'x.npy': is damaged: its checksum is 43956c23, the zip directory says 33ff98ac"},
        {{{data_x, "XX"}}, "entry 'x.npy': not an .npy file: it does not begin with '\\x93NUMPY'"},
        {{{data_x + 61, "4"}},
         "entry 'x.npy': the .npy header declares 4 bytes of data, the entry has 3"},
        {{{data_x + 61, "2"}},
         "entry 'x.npy': the .npy header declares 2 bytes of data, the entry has 3"},
        {{{data_x + 22, "O "}},
         "entry 'x.npy': dtype '|O ' means Python objects; kgen reads numbers only"},
    };
    for (const Case& each : cases) {
        std::string bytes = plain;
        for (const Patch& patch : each.patches)
            bytes.replace(patch.at, patch.bytes.size(), patch.bytes);
        CHECK(message_of(bytes) == "a.npz: " + each.message);
    }
}

TEST_CASE("the two end records of a large .npz file must agree") {
    const WorkFolder folder;
    const std::string plain = plain_file();
    const auto large = [&](std::uint64_t count,
                           std::uint64_t bytes,
                           std::uint64_t offset,
                           std::uint64_t end_offset) {
        return plain.substr(0, end_record) + "PK\6\6" + little(44, 8) + little(0, 12) +
               little(count, 8) + little(count, 8) + little(bytes, 8) + little(offset, 8) +
               "PK\6\7" + little(0, 4) + little(end_offset, 8) + little(1, 4) +
               plain.substr(end_record);
    };
    constexpr std::uint64_t directory_bytes = end_record - directory;
    write_file("good.npz", large(2, directory_bytes, directory, end_record));
    CHECK(npz_names("good.npz") == std::vector<std::string>{"x", "y"});
    CHECK(message_of(large(3, directory_bytes, directory, end_record)) ==
          "a.npz: its two end records differ: the number of entries is 2 in one, 3 in the other");
    CHECK(message_of(large(2, 51, directory, end_record)) ==
          "a.npz: its two end records differ: the directory's size is 102 in one, 51 in the other");
    CHECK(message_of(large(2, directory_bytes, entry_y, end_record)) ==
          "a.npz: its two end records differ: the directory's offset is 332 in one, 383 in the "
          "other");
    CHECK(message_of(large(2, directory_bytes, directory, ~std::uint64_t{0})) ==
          "a.npz: its zip64 end record is declared at byte 18446744073709551615, but must end at "
          "byte 490");
    CHECK(message_of(large(2, directory_bytes, directory, directory)) ==
          "a.npz: has no zip64 end record at byte 332, where its locator points");
    // A zip directory of 2^40 bytes is not read, even if the file is large enough.
    std::string huge = large(2, std::uint64_t{1} << 40, 0, (std::uint64_t{1} << 40));
    huge.replace(huge.size() - 22 + 12, 8, little(~std::uint64_t{0}, 8));
    std::string tail = huge.substr(end_record);
    write_file("a.npz", "PK\3\4");
    std::filesystem::resize_file("a.npz", std::uint64_t{1} << 40);  // a sparse file
    std::ofstream("a.npz", std::ios::binary | std::ios::app) << tail;
    CHECK(KGEN_MESSAGE_OF(IoError, npz_names("a.npz")) ==
          "a.npz: its zip directory has 1099511627776 bytes, expected at most 67108864");
}

TEST_CASE("deflated data that are not what the directory promises are refused") {
    const WorkFolder folder;
    const std::string text = npy(header("'|i1'", "(1000,)"), std::string(1000, '\1'));
    const std::string packed = deflated(text);
    const std::uint32_t crc = checksum(text);
    const auto size = static_cast<std::uint64_t>(text.size());
    write_file("a.npz", archive(packed, size, crc));
    CHECK(load_npz("a.npz", "x", load_on_host).size() == 1000);

    const std::string header_999 = npy(header("'|i1'", "(999,) "), "");
    CHECK(
        message_of(archive(deflated(header_999 + std::string(1000, '\1')), size - 1, crc)) ==
        fmt::format("a.npz: entry 'x.npy': inflates to more than the {} bytes of the zip directory",
                    size - 1));
    const std::string header_1001 = npy(header("'|i1'", "(1001,)"), "");
    CHECK(message_of(archive(deflated(header_1001 + std::string(1000, '\1')), size + 1, crc)) ==
          fmt::format(
              "a.npz: entry 'x.npy': inflates to {} bytes, not to the {} of the zip directory",
              size,
              size + 1));
    CHECK(message_of(archive(packed, size, crc ^ 1)) ==
          fmt::format("a.npz: entry 'x.npy': is damaged: its checksum is {:08x}, the zip directory "
                      "says {:08x}",
                      crc,
                      crc ^ 1));
    CHECK(message_of(archive(packed + "!!", size, crc)) ==
          fmt::format("a.npz: entry 'x.npy': its deflated data end after {} of {} bytes",
                      packed.size(),
                      packed.size() + 2));
    CHECK(message_of(archive(packed.substr(0, packed.size() - 3), size, crc)) ==
          "a.npz: entry 'x.npy': its deflated data are truncated");
    CHECK(message_of(archive("\xff" + packed, size, crc)) ==
          "a.npz: entry 'x.npy': its deflated data are damaged: invalid block type");

    // A decompression bomb: one megabyte of zeros behind a header of one element.
    const std::string bomb =
        deflated(npy(header("'|i1'", "(1,)"), std::string(std::size_t{1} << 20, '\0')));
    CHECK(message_of(archive(bomb, 68, 0)) ==
          "a.npz: entry 'x.npy': inflates to more than the 68 bytes of the zip directory");
    CHECK(message_of(archive(bomb, std::uint64_t{1} << 31, 0)) ==
          fmt::format("a.npz: entry 'x.npy': claims to inflate from {} to 2147483648 bytes; "
                      "deflate expands at most 1032 times",
                      bomb.size()));
    CHECK(message_of(archive(bomb, 67 + (std::uint64_t{1} << 20), 0)) ==
          "a.npz: entry 'x.npy': the .npy header declares 1 bytes of data, the entry has 1048576");
}

TEST_CASE("an .npz file that is cut or damaged anywhere is refused or still the same") {
    const WorkFolder folder;
    const Array x = arange(3, int8, on_host);
    save_npz("a.npz", {{"x", x}}, {.compression = NpzCompression::deflated});
    const std::string bytes = read_file("a.npz");
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        write_file("cut.npz", bytes.substr(0, size));
        CHECK_THROWS_AS(load_npz("cut.npz", load_on_host), IoError);
    }
    for (std::size_t k = 0; k < 8 * bytes.size(); ++k) {
        std::string damaged = bytes;
        damaged[k / 8] = static_cast<char>(damaged[k / 8] ^ (1 << (k % 8)));
        write_file("damaged.npz", damaged);
        try {
            const auto arrays =
                load_npz("damaged.npz", load_on_host);  // e.g. only its date changed
            CHECK((arrays.size() == 1 && to_text(arrays[0].array) == "[0 1 2]"));
        } catch (const IoError&) {
        }
    }
}

TEST_CASE("what is no regular file is not read as an .npz file and none is mapped") {
    const WorkFolder folder;
    std::filesystem::create_directory("folder");
    REQUIRE(::mkfifo("pipe", 0600) == 0);
    plain_file();
    CHECK(KGEN_MESSAGE_OF(IoError, load_npz("none.npz")) ==
          "none.npz: cannot be opened: No such file or directory");
    CHECK(KGEN_MESSAGE_OF(IoError, load_npz("folder")) ==
          "folder: is a directory, not an .npz file");
    CHECK(KGEN_MESSAGE_OF(IoError, npz_names("pipe")) == "pipe: is not a regular file");
    CHECK(KGEN_MESSAGE_OF(IoError, load_npz("plain.npz", "x", {.access = NpyAccess::mapped})) ==
          "plain.npz: arrays in an .npz file cannot be mapped\nread them, or save each as an .npy "
          "file");
    CHECK(message_of("") == "a.npz: not an .npz file: it has no zip directory at its end");
}
