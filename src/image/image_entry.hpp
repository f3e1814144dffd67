// SPDX-License-Identifier: MIT
//
// How an Image lies in a cache entry: what the tags of its sections mean, and which checks a section
// must pass before a loader sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "device/compiler.hpp"
#include "device/image.hpp"
#include "digest_builder.hpp"
#include "entry.hpp"

namespace kgen {

cache::Entry make_entry(const CompileJob& job,
                        const cache::Digest& request,
                        const std::vector<cache::DigestPart>& parts,
                        const Producer& producer,
                        const Image& image);

// The image of an entry; nothing, and why, if it is not one that can be loaded for the job: no
// section, another symbol or target, bytes that are no ELF file of the right machine.
std::optional<Image> read_entry(const CompileJob& job,
                                const cache::Entry& entry,
                                std::string& why_not);

// Whether a kernel in the entry's code is one of the entry's own: those that were compiled together have
// one code.
bool is_own_kernel(const cache::Entry& entry, std::string_view symbol);

// "cubin", "ptx", "host object"; of an unknown tag its four characters.
std::string section_name(std::uint32_t tag);

}  // namespace kgen
