// SPDX-License-Identifier: MIT
//
// What the fake CUDA driver reads of code that it is given to load.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <string>

// The bytes of parameters that each kernel of a cubin takes, by its name: the attribute 0x19, of 16
// bits, in the section .nv.info.NAME (what cuobjdump -elf shows as EIATTR_CBANK_PARAM_SIZE). Empty
// for other code.
inline std::map<std::string, std::size_t> parameter_bytes_of_kernels(const void* code) {
    std::map<std::string, std::size_t> kernels;
    const auto* bytes = static_cast<const unsigned char*>(code);
    if (std::strncmp(static_cast<const char*>(code), ELFMAG, SELFMAG) != 0) return kernels;
    Elf64_Ehdr header;
    std::memcpy(&header, bytes, sizeof header);
    const auto section = [&](unsigned index) {
        Elf64_Shdr found;
        std::memcpy(&found, bytes + header.e_shoff + index * sizeof found, sizeof found);
        return found;
    };
    const Elf64_Shdr names = section(header.e_shstrndx);
    for (unsigned k = 0; k < header.e_shnum; ++k) {
        const Elf64_Shdr info = section(k);
        const auto* name = reinterpret_cast<const char*>(bytes + names.sh_offset + info.sh_name);
        if (std::strncmp(name, ".nv.info.", 9) != 0) continue;
        for (std::size_t at = 0; at + 4 <= info.sh_size;) {
            const unsigned char* attribute = bytes + info.sh_offset + at;
            const std::size_t value = attribute[2] + (std::size_t{attribute[3]} << 8);
            if (attribute[0] == 3 && attribute[1] == 0x19) {
                kernels[name + 9] = value;
                break;
            }
            at += 4 + (attribute[0] == 4 ? value : 0);  // format 4: that many bytes follow
        }
    }
    return kernels;
}
