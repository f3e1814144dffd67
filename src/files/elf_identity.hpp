// SPDX-License-Identifier: MIT
//
// ElfIdentity: identifies a program or shared library by its GNU build-id, a digest of its contents that
// the linker wrote. Reading it usually takes three system calls, while hashing libnvrtc would read 109 MB,
// which takes at least 0.08 s at the 1.4 GB/s that cache/digest.cpp names.
#pragma once

#include <string>

namespace kgen {

struct ElfIdentity {
    bool exists = false;       // the file can be opened
    bool is_loadable = false;  // an ELF shared library of this machine's kind
    std::string build_id;      // hexadecimal, also for programs; empty if there is none
};

// Reads the identity of a file. A file that cannot be read or is not valid ELF is not loadable and has no
// build-id. Never throws for such files.
ElfIdentity read_elf_identity(const std::string& path);

}  // namespace kgen
