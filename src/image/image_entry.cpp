// SPDX-License-Identifier: MIT
#include "image/image_entry.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <kgen/system.hpp>
#include <span>

#include "device/device_traits.hpp"

namespace kgen {

namespace {

constexpr std::string_view lowered_name_prefix = "name.";
// Metadata keys for the names that the kernel's symbols have in the code. They are present only if the names
// differ from the kernel's own, because several kernels share the code.
constexpr std::string_view code_symbol = "code_symbol";
constexpr std::string_view code_accumulator_symbol = "code_accumulator_symbol";

// A kind of section. `digest` is the metadata key for the SHA-256 of the section as the compiler made it.
// Unlike the store's own checksums, this SHA-256 also detects changes that were made before the section was
// stored, or by a program that stored it anew.
struct Tag {
    ImageKind kind;
    std::uint32_t tag;
    const char* name;
    std::string_view digest;
};
constexpr std::array<Tag, 3> tags = {
    {{ImageKind::cubin, cache::section_tag("cubn"), "cubin", "sha256.cubin"},
     {ImageKind::ptx, cache::section_tag("ptx "), "ptx", "sha256.ptx"},
     {ImageKind::host_object, cache::section_tag("host"), "host object", "sha256.object"}}};

// The compiler's output. Its section follows those of the code, and is absent if the compiler printed nothing.
// kgen that does not know the tag skips the section.
constexpr std::uint32_t log_tag = cache::section_tag("log ");

constexpr std::uint16_t elf_machine_cuda = 190;

// Returns whether the bytes are a 64-bit little-endian ELF file for `machine`; 0 accepts any machine. No
// other field is checked, because files of newer toolkits must not be refused.
bool is_elf(const std::vector<std::byte>& bytes, std::uint16_t machine) {
    constexpr std::array<unsigned char, 6> magic = {0x7f, 'E', 'L', 'F', 2, 1};
    if (bytes.size() < 64 || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
        return false;
    std::uint16_t found = 0;
    std::memcpy(&found, bytes.data() + 18, sizeof found);
    return machine == 0 || found == machine;
}

bool is_loadable(const ImageSection& section) {
    if (section.kind == ImageKind::cubin) return is_elf(section.bytes, elf_machine_cuda);
    if (section.kind == ImageKind::host_object) return is_elf(section.bytes, 0);
    return !section.bytes.empty();
}

}  // namespace

cache::Entry make_entry(const CompileJob& job,
                        const cache::Digest& request,
                        const std::vector<cache::DigestPart>& parts,
                        const Producer& producer,
                        const Image& image) {
    cache::Entry entry;
    entry.request = request;
    entry.producer_identity = producer.identity;
    entry.metadata = {{"kernel", job.kernel},
                      {"symbol", job.symbol},
                      {"target", image.target.arch},
                      {"producer", producer.name},
                      {"kgen", version()}};
    if (!job.dtypes.empty()) entry.metadata.emplace_back("dtypes", job.dtypes);
    if (!job.layout.empty()) entry.metadata.emplace_back("layout", job.layout);
    if (image.compile_ms > 0)
        entry.metadata.emplace_back("compile_ms", fmt::format("{:.1f}", image.compile_ms));
    if (image.symbol != job.symbol) entry.metadata.emplace_back(code_symbol, image.symbol);
    if (!image.accumulator_symbol.empty() && image.accumulator_symbol != job.accumulator_symbol)
        entry.metadata.emplace_back(code_accumulator_symbol, image.accumulator_symbol);
    for (const LoweredName& name : image.lowered_names) {
        entry.metadata.emplace_back(fmt::format("{}{}", lowered_name_prefix, name.expression),
                                    name.symbol);
    }
    for (const cache::DigestPart& part : parts) {
        entry.metadata.emplace_back("part." + part.name, part.digest.short_hex());
    }
    for (const ImageSection& section : image.sections) {
        for (const Tag& tag : tags) {
            if (tag.kind != section.kind) continue;
            entry.sections.push_back({tag.tag, section.bytes});
            entry.metadata.emplace_back(tag.digest, cache::sha256(section.bytes).to_hex());
        }
    }
    if (!image.log.empty()) {
        const auto bytes = std::as_bytes(std::span(image.log));
        entry.sections.push_back({log_tag, {bytes.begin(), bytes.end()}});
    }
    return entry;
}

std::string log_of(const cache::Entry& entry) {
    const cache::Section* section = entry.find(log_tag);
    return section == nullptr ? std::string() : std::string(cache::as_text(section->bytes));
}

std::optional<Image> read_entry(const CompileJob& job,
                                const cache::Entry& entry,
                                std::string& why_not) {
    Image image;
    image.target = job.target;
    image.log = log_of(entry);
    image.symbol = entry.value(code_symbol).value_or(job.symbol);
    image.accumulator_symbol =
        entry.value(code_accumulator_symbol).value_or(job.accumulator_symbol);
    if (entry.value("symbol") != job.symbol || entry.value("target") != job.target.arch) {
        why_not = "it holds another kernel or target";
        return std::nullopt;
    }
    for (const auto& [key, value] : entry.metadata) {
        if (key.starts_with(lowered_name_prefix)) {
            image.lowered_names.push_back({key.substr(lowered_name_prefix.size()), value});
        }
    }
    for (const cache::Section& section : entry.sections) {
        for (const Tag& tag : tags) {
            if (tag.tag != section.tag) continue;
            if (entry.value(tag.digest) != cache::sha256(section.bytes).to_hex()) {
                why_not = "its code differs from the compiler's";
                return std::nullopt;
            }
            image.sections.push_back({tag.kind, section.bytes});
        }
    }
    if (image.find(traits(job.target.kind).image) == nullptr) {
        why_not = "it holds no code for the device";
        return std::nullopt;
    }
    for (const ImageSection& section : image.sections) {
        if (!is_loadable(section)) {
            why_not = "its code is not loadable";
            return std::nullopt;
        }
    }
    return image;
}

bool is_own_kernel(const cache::Entry& entry, std::string_view symbol) {
    if (!entry.value(code_symbol)) return true;
    return symbol == entry.value(code_symbol) || symbol == entry.value(code_accumulator_symbol);
}

std::string section_name(std::uint32_t tag) {
    if (tag == log_tag) return "compiler log";
    for (const Tag& known : tags) {
        if (known.tag == tag) return known.name;
    }
    std::string text;
    for (unsigned k = 0; k < 4; ++k) {
        const char c = static_cast<char>((tag >> (8 * k)) & 0xff);
        text += c >= ' ' && c <= '~' ? c : '?';
    }
    return text;
}

}  // namespace kgen
