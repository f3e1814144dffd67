// SPDX-License-Identifier: MIT
#include "directory_tag.hpp"

#include <fcntl.h>

#include <array>
#include <string>

#include "file_descriptor.hpp"

namespace kgen::cache {

bool has_directory_tag(int root) {
    // The signature's line and the mark; what follows is for people.
    constexpr std::string_view mark = directory_tag_text.substr(0, 44 + 6);
    static_assert(mark.ends_with("\n# kgen"));
    const FileDescriptor file(::openat(root,
                                       std::string(directory_tag_name).c_str(),
                                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.is_open()) return false;
    std::array<char, mark.size()> start{};
    const ssize_t count = ::read(file.get(), start.data(), start.size());
    return count == ssize_t{mark.size()} && std::string_view(start.data(), mark.size()) == mark;
}

}  // namespace kgen::cache
