// SPDX-License-Identifier: MIT
#include "image/code_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <kgen/error.hpp>

#include "device/registry.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;

namespace {

constexpr std::uint32_t flags_of_sm_90 = 0x06005a04;  // as CUDA 13.0 writes them

template <typename T>
void put(std::string& bytes, std::size_t at, const T& value) {
    if (bytes.size() < at + sizeof value) bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

// The parts are a header, a section of `code_bytes`, a section without bytes in the file, the section table
// and one segment.
std::string make_cubin(std::uint32_t flags = flags_of_sm_90,
                       unsigned char osabi = 0x41,
                       std::uint16_t type = ET_EXEC) {
    constexpr std::size_t code_at = 64;
    constexpr std::size_t code_bytes = 32;
    constexpr std::size_t sections_at = code_at + code_bytes;
    constexpr std::size_t segments_at = sections_at + 3 * sizeof(Elf64_Shdr);
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_OSABI] = osabi;
    header.e_type = type;
    header.e_machine = 190;
    header.e_flags = flags;
    header.e_shoff = sections_at;
    header.e_phoff = segments_at;
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_shnum = 3;
    header.e_phnum = 1;
    Elf64_Shdr code = {};
    code.sh_type = SHT_PROGBITS;
    code.sh_offset = code_at;
    code.sh_size = code_bytes;
    Elf64_Shdr absent = {};
    absent.sh_type = SHT_NOBITS;
    absent.sh_offset = code_at;
    absent.sh_size = 1 << 20;
    Elf64_Phdr segment = {};
    segment.p_offset = code_at;
    segment.p_filesz = code_bytes;
    std::string bytes;
    put(bytes, 0, header);
    put(bytes, sections_at, Elf64_Shdr{});
    put(bytes, sections_at + sizeof(Elf64_Shdr), code);
    put(bytes, sections_at + 2 * sizeof(Elf64_Shdr), absent);
    put(bytes, segments_at, segment);
    return bytes;
}

std::string make_fatbin(std::size_t payload) {
    std::string bytes;
    put(bytes, 0, std::uint32_t{0xba55ed50});
    put(bytes, 4, std::uint16_t{1});
    put(bytes, 6, std::uint16_t{16});
    put(bytes, 8, std::uint64_t{payload});
    return bytes + std::string(payload, '\x01');
}

std::string message_of(const std::string& bytes) {
    return KGEN_MESSAGE_OF(IoError, parse_code_file(bytes));
}

void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

// Returns a cubin that NVRTC compiles here; a small handmade one if NVRTC is missing.
std::string real_cubin() {
    try {
        const Image image = compiler(DeviceKind::cuda)
                                .compile({.kernel = "k",
                                          .source = "extern \"C\" __global__ void k() {}",
                                          .symbol = "k",
                                          .options = {},
                                          .target = {DeviceKind::cuda, "sm_90"}});
        const auto& bytes = image.find(ImageKind::cubin)->bytes;
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    } catch (const DeviceError& error) {
        WARN("SKIPPED, no NVRTC: " << error.what());
        return make_cubin();
    }
}

}  // namespace

TEST_CASE("a file of code is what its content is, whatever its name", "[image][raw]") {
    const TempDir folder;
    const std::string path = folder / "file.cubin";
    struct Row {
        std::string bytes;
        CodeFile::Kind kind;
        ImageKind section;
        std::string arch;
    };
    const Row rows[] = {
        {make_cubin(), CodeFile::Kind::cubin, ImageKind::cubin, "sm_90"},
        {make_fatbin(100), CodeFile::Kind::fatbin, ImageKind::fatbin, ""},
        {"// by hand\n.version 8.0\n.target sm_80\n.address_size 64\n",
         CodeFile::Kind::ptx,
         ImageKind::ptx,
         "compute_80"},
    };
    for (const Row& row : rows) {
        INFO(row.arch);
        write(path, row.bytes);
        const CodeFile file = read_code_file(path);
        CHECK(file.kind == row.kind);
        CHECK(file.text.empty());
        CHECK(file.image.target == Target{DeviceKind::cuda, row.arch});
        CHECK(file.image.symbol.empty());
        REQUIRE(file.image.sections.size() == 1);
        const ImageSection& section = file.image.sections[0];
        CHECK(section.kind == row.section);
        CHECK(std::string(reinterpret_cast<const char*>(section.bytes.data()),
                          section.bytes.size()) == row.bytes);
    }
    const std::string source = "// \xc3\xa4\n__global__ void k() {}\r\n\t";
    write(path, source);
    const CodeFile file = read_code_file(path);
    CHECK(file.kind == CodeFile::Kind::source);
    CHECK(file.text == source);
    CHECK(file.image.sections.empty());
}

TEST_CASE("text is CUDA C++ unless it begins as PTX must", "[image][raw]") {
    const auto kind_of = [](const std::string& text) { return parse_code_file(text).kind; };
    CHECK(kind_of("asm(\".version 8.0\\n.target sm_80\");") == CodeFile::Kind::source);
    CHECK(kind_of("// .version 8.0\n.target sm_80\n") == CodeFile::Kind::source);
    CHECK(kind_of("/* */ // x\n\n  .version\t8.0 .target sm_80") == CodeFile::Kind::ptx);
    CHECK(parse_code_file(".version 9.0\n.target sm_90a, debug\n").image.target.arch ==
          "compute_90a");
    CHECK(parse_code_file(".version 9.0 // x\n/* y */.target\tsm_100f\n").image.target.arch ==
          "compute_100f");
    // NVRTC and the driver use a terminating NUL.
    const CodeFile ended = parse_code_file(std::string(".version 9.0\n.target sm_90\n\0", 28));
    CHECK(ended.image.sections[0].bytes.size() == 27);
    CHECK(parse_code_file("\xef\xbb\xbfint a;").text == "int a;");
    for (const char* text :
         {".version 9.0\n", ".version", ".version 9.0\n.target", ".version 9 .x"}) {
        CHECK(message_of(text) ==
              "is PTX without '.target sm_...' after its .version: is it truncated?");
    }
}

TEST_CASE("the architecture of a cubin is read from both kinds of header", "[image][raw]") {
    struct Row {
        std::uint32_t flags;
        unsigned char osabi;
        const char* arch;
    };
    // As written by NVRTC 13.0 and 12.6.
    const Row rows[] = {{0x06004b04, 0x41, "sm_75"},
                        {0x06005004, 0x41, "sm_80"},
                        {0x06005a04, 0x41, "sm_90"},
                        {0x06006402, 0x41, "sm_100"},
                        {0x06007802, 0x41, "sm_120"},
                        {0x00340534, 0x33, "sm_52"},
                        {0x00500550, 0x33, "sm_80"},
                        {0x005a055a, 0x33, "sm_90"},
                        {0x005a0d5a, 0x33, "sm_90a"}};
    for (const Row& row : rows) {
        CHECK(parse_code_file(make_cubin(row.flags, row.osabi)).image.target.arch == row.arch);
    }
}

TEST_CASE("NVRTC's own cubins are read", "[image][raw][nvrtc]") {
    for (const char* arch : {"sm_75", "sm_80", "sm_90", "sm_90a", "sm_100a", "sm_120f"}) {
        try {
            const Image image = compiler(DeviceKind::cuda)
                                    .compile({.kernel = "k",
                                              .source = "extern \"C\" __global__ void k() {}",
                                              .symbol = "k",
                                              .options = {},
                                              .target = {DeviceKind::cuda, arch}});
            const auto& bytes = image.find(ImageKind::cubin)->bytes;
            const std::string plain =
                std::string(arch).substr(0, std::string(arch).find_last_of("0123456789") + 1);
            CHECK(parse_code_file({reinterpret_cast<const char*>(bytes.data()), bytes.size()})
                      .image.target.arch == plain);
        } catch (const DeviceError& error) {
            WARN("SKIPPED, no NVRTC: " << error.what());
            return;
        } catch (const CompileError& error) {
            WARN("an NVRTC without " << arch);
        }
    }
}

TEST_CASE("a cubin cut at any length is refused", "[image][raw]") {
    for (const std::string& whole : {make_cubin(), real_cubin()}) {
        CHECK(parse_code_file(whole).kind == CodeFile::Kind::cubin);
        for (std::size_t size = 0; size < whole.size(); ++size) {
            INFO(size);
            const std::string message = message_of(whole.substr(0, size));
            const char* start = size == 0   ? "is empty: "
                                : size < 4  ? "has an unknown type: "
                                : size < 64 ? "truncated: its header would end at byte 64, the "
                                            : "truncated: its ";
            REQUIRE(message.find(start) == 0);
        }
    }
    const std::string whole = make_cubin();
    CHECK(message_of(whole.substr(0, 100)) ==
          "truncated: its table of sections would end at byte 288, the file has 100");
    CHECK(message_of(whole.substr(0, 300)) ==
          "truncated: its table of segments would end at byte 344, the file has 300");
}

TEST_CASE("a cubin with any byte damaged is read without leaving it", "[image][raw]") {
    const std::string whole = make_cubin();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const char value : {'\xff', '\x7f', '\x00'}) {
            std::string damaged = whole;
            damaged[at] = value;
            try {
                parse_code_file(damaged);
            } catch (const IoError&) {  // the damaged byte may also be one that is not checked
            }
        }
    }
    std::string damaged = whole;
    put(damaged, 64 + 32 + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size), std::uint64_t{1000});
    CHECK(message_of(damaged) ==
          "truncated: its sections would end at byte 1064, the file has 344");
    damaged = whole;
    put(damaged,
        64 + 32 + 3 * sizeof(Elf64_Shdr) + offsetof(Elf64_Phdr, p_offset),
        ~std::uint64_t{});
    CHECK(message_of(damaged) ==
          "truncated: its segments would end at byte 18446744073709551615, the file has 344");
    damaged = whole;
    put(damaged, offsetof(Elf64_Ehdr, e_shentsize), std::uint16_t{40});
    CHECK(message_of(damaged) == "damaged: its section headers have a wrong size");
    damaged = whole;
    put(damaged, offsetof(Elf64_Ehdr, e_phentsize), std::uint16_t{40});
    CHECK(message_of(damaged) == "damaged: its program headers have a wrong size");
}

TEST_CASE("files of other kinds are refused by what they are", "[image][raw]") {
    std::string object = make_cubin();
    put(object, offsetof(Elf64_Ehdr, e_machine), std::uint16_t{EM_X86_64});
    const std::string other =
        "is an ELF file for another machine, such as an object file of a host compiler: expected a "
        "cubin\n"
        "nvcc -cubin and nvcc -fatbin write only device code";
    CHECK(message_of(object) == other);
    std::string narrow = make_cubin();
    narrow[EI_CLASS] = ELFCLASS32;
    CHECK(message_of(narrow) == other);
    CHECK(message_of(make_cubin(flags_of_sm_90, 0x41, ET_REL)) ==
          "is a relocatable cubin, which is not linked yet: expected one that can be loaded\n"
          "compile without -rdc=true and -dc, or link it with nvcc -dlink -cubin");
    const std::string unknown = "has an unknown type: expected CUDA C++, PTX, a cubin or a fatbin";
    CHECK(message_of(std::string("\x89PNG\r\n\x1a\n\0\0", 10)) == unknown);
    CHECK(message_of(std::string("int a;\0int b;", 13)) == unknown);
    CHECK(message_of(std::string(8, '\0')) == unknown);
}

TEST_CASE("a fatbin cut at any length is refused", "[image][raw]") {
    const std::string whole = make_fatbin(100);
    for (std::size_t size = 4; size < whole.size(); ++size) {
        CHECK(message_of(whole.substr(0, size)) ==
              fmt::format("truncated: its {} would end at byte {}, the file has {}",
                          size < 16 ? "header" : "code",
                          size < 16 ? 16 : 116,
                          size));
    }
    CHECK(message_of(make_fatbin(0)) == "damaged: it is a fatbin without code");
}

TEST_CASE("files that cannot be read are refused with the system's reason", "[image][raw]") {
    const TempDir folder;
    const auto message_for = [&](const std::string& path) {
        return KGEN_MESSAGE_OF(IoError, read_code_file(path));
    };
    CHECK(message_for(folder / "absent.cu") ==
          fmt::format("{}/absent.cu: cannot be opened: No such file or directory", folder.path()));
    CHECK(message_for(folder.path()) ==
          fmt::format("{}: is a directory: expected CUDA C++, PTX, a cubin or a fatbin",
                      folder.path()));
    write(folder / "empty.cubin", "");
    CHECK(message_for(folder / "empty.cubin") ==
          fmt::format("{}/empty.cubin: is empty: expected CUDA C++, PTX, a cubin or a fatbin",
                      folder.path()));
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(message_for(folder / "pipe") ==
          fmt::format("{}/pipe: is not a regular file", folder.path()));
    const std::string large = folder / "large.cu";
    write(large, "x");
    REQUIRE(::truncate(large.c_str(), (off_t{1} << 30) + 1) == 0);  // a sparse file
    CHECK(message_for(large) ==
          fmt::format("{}: too large: got 1073741825 bytes, expected at most 1073741824", large));
    CHECK(message_for(std::string("a\0b", 3)) == "a: the name of the file holds a NUL character");
    write(folder / "closed.cu", "int a;");
    ::chmod((folder / "closed.cu").c_str(), 0);
    ::chmod(folder.path().c_str(), 0755);
    CHECK(said_by_child([&] {
              drop_root();
              return message_for(folder / "closed.cu");
          }) == fmt::format("{}/closed.cu: cannot be opened: Permission denied", folder.path()));
}
