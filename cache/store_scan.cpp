// SPDX-License-Identifier: MIT
#include "store_scan.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <vector>

#include "file_descriptor.hpp"
#include "pack_file.hpp"

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

namespace {

// Returns whether the text has the form "<request digits>-<16 hex>".
bool is_entry_stem(std::string_view text, std::size_t request_digits) noexcept {
    return text.size() == request_digits + 17 && is_hex(text.substr(0, request_digits)) &&
           text[request_digits] == '-' && is_hex(text.substr(request_digits + 1));
}

bool is_entry_name(std::string_view name, std::size_t request_digits) noexcept {
    return name.ends_with(".kgc") && is_entry_stem(name.substr(0, name.size() - 4), request_digits);
}

// Returns whether the name has the form ".<stem>.<32 hex>.tmp", where <stem> is that of an entry, a pack or
// the tag.
bool is_temporary_name(std::string_view name) noexcept {
    constexpr std::size_t random_part = 1 + 32 + 4;
    if (name.size() <= 1 + random_part || name.front() != '.' || !name.ends_with(".tmp"))
        return false;
    const std::string_view stem = name.substr(1, name.size() - 1 - random_part);
    const std::string_view random = name.substr(name.size() - random_part, 33);
    return random.front() == '.' && is_hex(random.substr(1)) &&
           (is_entry_stem(stem, 62) || (stem.size() == 16 && is_hex(stem)) ||
            stem == directory_tag_name);
}

class Scanner {
public:
    explicit Scanner(int root) : root_(root) {}

    // Adds the files in `folder` for whose names `kind_of` returns a kind.
    template <class KindOf>
    void add(const std::string& folder, KindOf kind_of) {
        for (const std::string& name : names_in(folder)) {
            const std::optional<FileKind> kind = kind_of(name);
            if (!kind) continue;
            StoredFile file;
            file.path = folder == "." ? name : folder + '/' + name;
            file.kind = *kind;
            // Skip files that were removed in the meantime.
            if (::fstatat(root_, file.path.c_str(), &file.status, AT_SYMLINK_NOFOLLOW) == 0) {
                scan_.files.push_back(std::move(file));
            }
        }
    }

    std::vector<std::string> names_in(const std::string& folder) {
        std::vector<std::string> names;
        const int error = list_directory(root_, folder.c_str(), names);
        // A link in the place of a directory does not belong to the store.
        const bool is_absent = error == ENOENT || error == ENOTDIR || error == ELOOP;
        if (error != 0 && !is_absent && scan_.error == 0) scan_.error = error;
        std::sort(names.begin(), names.end());
        return names;
    }

    void add_packs() {
        add(pack_folder, [](std::string_view name) -> std::optional<FileKind> {
            if (is_pack_file_name(name)) return FileKind::pack;
            if (is_temporary_name(name)) return FileKind::temporary;
            return std::nullopt;
        });
    }

    StoreScan take() { return std::move(scan_); }

private:
    int root_;
    StoreScan scan_;
};

}  // namespace

std::uint64_t StoredFile::size_bytes() const noexcept {
    return is_regular() ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::int64_t to_ns(const struct timespec& time) noexcept {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::optional<FileKind> kind_in_shard(std::string_view name) noexcept {
    if (is_entry_name(name, 62)) return FileKind::entry;
    if (is_temporary_name(name)) return FileKind::temporary;
    return std::nullopt;
}

StoreScan scan_entries(int root) {
    Scanner scanner(root);
    scanner.add(".", [](std::string_view name) -> std::optional<FileKind> {
        if (is_temporary_name(name)) return FileKind::temporary;
        return std::nullopt;
    });
    for (const std::string& shard : scanner.names_in("v1")) {
        if (shard.size() == 2 && is_hex(shard)) scanner.add("v1/" + shard, kind_in_shard);
    }
    scanner.add_packs();
    return scanner.take();
}

StoreScan scan_packs(int root) {
    Scanner scanner(root);
    scanner.add_packs();
    return scanner.take();
}

StoreScan scan_quarantine(int root) {
    Scanner scanner(root);
    scanner.add("quarantine", [](std::string_view name) -> std::optional<FileKind> {
        if (is_entry_name(name, 64) || is_pack_file_name(name)) return FileKind::quarantined;
        return std::nullopt;
    });
    return scanner.take();
}

std::optional<Digest> request_of_path(std::string_view path) {
    constexpr std::string_view start = "v1/ab/";
    if (path.size() <= start.size() ||
        kind_in_shard(path.substr(start.size())) != FileKind::entry) {
        return std::nullopt;
    }
    return Digest::from_hex(std::string(path.substr(3, 2)) +
                            std::string(path.substr(start.size(), 62)));
}

bool remove_if_unchanged(int root, const StoredFile& file) noexcept {
    struct stat now {};
    if (::fstatat(root, file.path.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0) return false;
    const struct stat& seen = file.status;
    if (now.st_dev != seen.st_dev || now.st_ino != seen.st_ino || now.st_size != seen.st_size ||
        to_ns(now.st_mtim) != to_ns(seen.st_mtim)) {
        return false;
    }
    return ::unlinkat(root, file.path.c_str(), S_ISDIR(now.st_mode) ? AT_REMOVEDIR : 0) == 0;
}

}  // namespace kgen::cache
