// SPDX-License-Identifier: MIT
#include "host/compile/stack_usage.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "host/kernel/host_raw_abi.hpp"
#include "text/split.hpp"

namespace kgen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = "kgen: bytes of frames:";  // raw_entry_host.cuh has the same
static_assert(mark.size() < sizeof(HostStackUse::mark));

std::string read_text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

bool takes_stack_usage(const HostToolchain& toolchain) {
    return toolchain.family == CompilerFamily::gnu || is_clang_from(toolchain, 13);
}

StackUsage parse_stack_usage(std::string_view text) {
    StackUsage usage;
    for (const std::string_view line : split(text, '\n')) {
        const std::size_t tab = line.find('\t');
        if (tab == std::string_view::npos) continue;
        std::uint64_t bytes = 0;
        std::from_chars(line.data() + tab + 1, line.data() + line.size(), bytes);
        usage.largest_frame = std::max(usage.largest_frame, bytes);
        usage.all_frames += bytes;
    }
    return usage;
}

// The file is kernel.so--.su with g++ 12 and kernel.su with clang++, both in the object's directory. Older
// g++ write -.su into the working directory.
std::optional<StackUsage> read_stack_usage(std::initializer_list<std::string> directories) {
    for (const std::string& directory : directories) {
        std::error_code error;
        for (fs::directory_iterator at(directory, error), end; !error && at != end;
             at.increment(error)) {
            if (at->path().extension() == ".su") return parse_stack_usage(read_text(at->path()));
        }
    }
    return std::nullopt;
}

void write_stack_usage(std::span<std::byte> object, const StackUsage& usage) {
    const std::string_view text(reinterpret_cast<const char*>(object.data()), object.size());
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos || at + sizeof(HostStackUse) > object.size()) return;
    HostStackUse use;
    std::memcpy(&use, object.data() + at, sizeof(use));
    use.all_bytes = usage.all_frames;
    use.largest_bytes = usage.largest_frame;
    std::memcpy(object.data() + at, &use, sizeof(use));
}

}  // namespace kgen
