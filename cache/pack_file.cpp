// SPDX-License-Identifier: MIT
#include "pack_file.hpp"

#include <cerrno>

#include "entry_file.hpp"
#include "trusted_file.hpp"

namespace kgen::cache {

bool is_pack_file_name(std::string_view name) noexcept {
    constexpr std::string_view digits = "0123456789abcdef";
    return name.size() == 16 + pack_suffix.size() && name.ends_with(pack_suffix) &&
           name.substr(0, 16).find_first_not_of(digits) == std::string_view::npos;
}

std::string pack_file_path(const Digest& pack) {
    return std::string(pack_folder) + '/' + pack.short_hex() + std::string(pack_suffix);
}

OpenedPackFile open_pack_file(int directory, const std::string& path, TrustMode trust) {
    OpenedPackFile opened;
    FileDescriptor file(open_to_read(directory, path.c_str()));
    if (!file.is_open() || ::fstat(file.get(), &opened.status) != 0) {
        ReadResult failed = miss_of_errno(errno);
        opened.reason = failed.reason;
        opened.detail = std::move(failed.detail);
        return opened;
    }
    if (!S_ISREG(opened.status.st_mode)) {
        opened.reason = MissReason::not_a_file;
        opened.detail = "it is not a regular file";
    } else if (opened.detail = distrust_file(opened.status, trust); !opened.detail.empty()) {
        opened.reason = MissReason::foreign_owner;
    } else {
        opened.file = std::move(file);
    }
    return opened;
}

}  // namespace kgen::cache
