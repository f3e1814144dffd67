// SPDX-License-Identifier: MIT
//
// How an Image is stored in a cache entry: the tags of its sections, and the checks that a section must pass
// before it is loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "device/compiler.hpp"
#include "device/image.hpp"
#include "digest.hpp"
#include "entry.hpp"

namespace kgen {

cache::Entry make_entry(const CompileJob& job,
                        const cache::Digest& request,
                        const std::vector<cache::DigestPart>& parts,
                        const Producer& producer,
                        const Image& image);

// Returns the image of an entry. Returns nothing and sets `why_not` if the entry cannot be loaded for the
// job: it has no code for the device, another symbol or target, code that differs from what the compiler
// made, or bytes that are not an ELF file of the right machine.
std::optional<Image> read_entry(const CompileJob& job,
                                const cache::Entry& entry,
                                std::string& why_not);

// Returns the compiler's output when the entry was made; empty if it printed nothing or an older kgen made the
// entry.
std::string log_of(const cache::Entry& entry);

// Returns whether a kernel in the entry's code belongs to this entry. Kernels that were compiled together
// share one code.
bool is_own_kernel(const cache::Entry& entry, std::string_view symbol);

// Returns "cubin", "ptx", "host object" or "compiler log"; for an unknown tag, its four characters.
std::string section_name(std::uint32_t tag);

}  // namespace kgen
