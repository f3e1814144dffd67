// SPDX-License-Identifier: MIT
//
// The GNU build-id of a shared library: a digest that the linker wrote of its contents. Read from
// the file with three system calls, where hashing libnvrtc would read 109 MB (0.4 s).
#pragma once

#include <string>

namespace kgen {

// What is known of a file that should be a shared library for this machine.
struct ElfIdentity {
    bool exists = false;       // the file can be opened
    bool is_loadable = false;  // an ELF shared library of this machine's kind
    std::string build_id;      // hexadecimal; empty if it has none
};

// Never throws: a file that cannot be read or does not parse is not loadable.
ElfIdentity read_elf_identity(const std::string& path);

}  // namespace kgen
