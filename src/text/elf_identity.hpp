// SPDX-License-Identifier: MIT
//
// ElfIdentity: which program or shared library a file holds, by its GNU build-id: a digest that the
// linker wrote of its contents. Read with three system calls, where hashing libnvrtc would read
// 109 MB (0.4 s).
#pragma once

#include <string>

namespace kgen {

struct ElfIdentity {
    bool exists = false;       // the file can be opened
    bool is_loadable = false;  // an ELF shared library of this machine's kind
    std::string build_id;      // hexadecimal, of programs too; empty if it has none
};

// A file that cannot be read or does not parse is not loadable and has no build-id.
ElfIdentity read_elf_identity(const std::string& path);

}  // namespace kgen
