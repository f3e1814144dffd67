// SPDX-License-Identifier: MIT
#include "directory_tag.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "directory_listing.hpp"
#include "file_descriptor.hpp"

namespace kgen::cache {

namespace {

bool has_directory_tag(int root) {
    // The line of the signature and kgen's mark. The rest of the tag is only for readers.
    constexpr std::string_view mark = directory_tag_text.substr(0, 44 + 6);
    static_assert(mark.ends_with("\n# kgen"));
    const FileDescriptor file = open_to_read(root, directory_tag_name.data(), Links::refused);
    std::string start;
    return file.is_open() && read_to_end(file.get(), start, mark.size()) == 0 && start == mark;
}

// Returns whether a name has the form ".CACHEDIR.TAG.<random digits>.tmp".
bool is_unfinished_tag(std::string_view name) {
    return name.ends_with(".tmp") && name.starts_with('.') &&
           name.substr(1).starts_with(directory_tag_name);
}

}  // namespace

TagResult look_for_tag(int root) {
    if (has_directory_tag(root)) return {TagOwner::kgen};
    std::vector<std::string> names;
    if (const int error = list_directory(root, ".", names); error != 0)
        return {TagOwner::not_kgen, error};
    if (std::all_of(names.begin(), names.end(), is_unfinished_tag)) return {TagOwner::nobody_yet};
    // Another process may have created a cache here since the first check. It writes the tag before any other
    // file, so a second check finds it.
    return {has_directory_tag(root) ? TagOwner::kgen : TagOwner::not_kgen};
}

}  // namespace kgen::cache
