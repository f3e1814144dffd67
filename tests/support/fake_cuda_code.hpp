// SPDX-License-Identifier: MIT
//
// The part of the fake CUDA driver that reads loaded code. It reads cubins, and texts that describe a cubin:
//
//     fake library
//     kernel axpy 0:8 8:4 threads=640 registers=96 shared=1024 cluster=2,1,1
//     global counter 4
//     managed total 8
//
// The numbers after a kernel are the offsets and sizes of its parameters in bytes.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

struct FakeParameter {
    std::size_t offset;
    std::size_t bytes;
};

struct FakeKernel {
    std::string name;
    std::vector<FakeParameter> parameters;
    std::map<std::string, int> attributes;  // "threads", "registers", "shared", "cluster", ...
    int cluster[3] = {0, 0, 0};
};

struct FakeLibrary {
    bool is_read = false;  // if false, the library has every kernel that is requested
    bool is_text = false;
    std::map<std::string, FakeKernel> kernels;
    std::map<std::string, std::vector<unsigned char>> globals;
    std::map<std::string, std::vector<unsigned char>> managed;
};

// Reads a text that starts with "fake library".
inline FakeLibrary read_fake_text(const char* text) {
    FakeLibrary library;
    library.is_read = library.is_text = true;
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string kind;
        std::string name;
        words >> kind >> name;
        if (kind == "kernel") {
            FakeKernel kernel;
            kernel.name = name;
            for (std::string word; words >> word;) {
                FakeParameter parameter = {};
                char value[32] = {};
                char key[32] = {};
                int* cluster = kernel.cluster;
                if (std::sscanf(word.c_str(), "%zu:%zu", &parameter.offset, &parameter.bytes) ==
                    2) {
                    kernel.parameters.push_back(parameter);
                } else if (std::sscanf(word.c_str(),
                                       "cluster=%d,%d,%d",
                                       &cluster[0],
                                       &cluster[1],
                                       &cluster[2]) == 3) {
                } else if (std::sscanf(word.c_str(), "%31[a-z_]=%31s", key, value) == 2) {
                    kernel.attributes[key] = std::atoi(value);
                }
            }
            library.kernels[name] = kernel;
        } else if (kind == "global" || kind == "managed") {
            std::size_t bytes = 0;
            words >> bytes;
            (kind == "global" ? library.globals : library.managed)[name].resize(bytes);
        }
    }
    return library;
}

// Reads a cubin: the kernels and their parameters from the sections .nv.info.NAME (attribute 0x17, which
// cuobjdump -elf shows as EIATTR_KPARAM_INFO), and the variables from the symbol table.
inline FakeLibrary read_fake_cubin(const void* code) {
    FakeLibrary library;
    library.is_read = true;
    const auto* bytes = static_cast<const unsigned char*>(code);
    Elf64_Ehdr header;
    std::memcpy(&header, bytes, sizeof header);
    const auto section = [&](std::size_t index) {
        Elf64_Shdr found;
        std::memcpy(&found, bytes + header.e_shoff + index * sizeof found, sizeof found);
        return found;
    };
    const Elf64_Shdr names = section(header.e_shstrndx);
    const auto name_of = [&](const Elf64_Shdr& each) {
        return std::string(reinterpret_cast<const char*>(bytes + names.sh_offset + each.sh_name));
    };
    for (std::size_t k = 0; k < header.e_shnum; ++k) {
        const Elf64_Shdr each = section(k);
        const std::string name = name_of(each);
        if (name.compare(0, 9, ".nv.info.") == 0) {
            FakeKernel kernel;
            kernel.name = name.substr(9);
            for (std::size_t at = 0; at + 4 <= each.sh_size;) {
                const unsigned char* attribute = bytes + each.sh_offset + at;
                const std::size_t value = attribute[2] + (std::size_t{attribute[3]} << 8);
                if (attribute[0] == 4 && attribute[1] == 0x17) {
                    std::uint16_t ordinal = 0;
                    std::uint16_t offset = 0;
                    std::uint32_t packed = 0;
                    std::memcpy(&ordinal, attribute + 8, 2);
                    std::memcpy(&offset, attribute + 10, 2);
                    std::memcpy(&packed, attribute + 12, 4);
                    if (kernel.parameters.size() <= ordinal)
                        kernel.parameters.resize(std::size_t{ordinal} + 1);
                    kernel.parameters[ordinal] = {offset, packed >> 18};
                }
                at += 4 + (attribute[0] == 4 ? value : 0);  // format 4: `value` bytes follow
            }
            library.kernels[kernel.name] = kernel;
        } else if (each.sh_type == SHT_SYMTAB) {
            const Elf64_Shdr texts = section(each.sh_link);
            for (std::size_t at = 0; at < each.sh_size; at += sizeof(Elf64_Sym)) {
                Elf64_Sym symbol;
                std::memcpy(&symbol, bytes + each.sh_offset + at, sizeof symbol);
                if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF ||
                    symbol.st_shndx >= header.e_shnum)
                    continue;
                const Elf64_Shdr home = section(symbol.st_shndx);
                const std::string place = name_of(home);
                if (place.compare(0, 10, ".nv.global") != 0 && place != ".nv.constant3") continue;
                std::vector<unsigned char> value(symbol.st_size);
                if (home.sh_type != SHT_NOBITS)
                    std::memcpy(
                        value.data(), bytes + home.sh_offset + symbol.st_value, symbol.st_size);
                library.globals[reinterpret_cast<const char*>(bytes + texts.sh_offset +
                                                              symbol.st_name)] = value;
            }
        }
    }
    return library;
}

inline FakeLibrary read_fake_library(const void* code) {
    const auto* text = static_cast<const char*>(code);
    if (std::strncmp(text, "fake library", 12) == 0) return read_fake_text(text);
    if (std::strncmp(text, ELFMAG, SELFMAG) == 0) return read_fake_cubin(code);
    return {};
}
