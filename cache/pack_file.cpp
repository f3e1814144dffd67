// SPDX-License-Identifier: MIT
#include "pack_file.hpp"

#include <cerrno>
#include <utility>

#include "entry_file.hpp"
#include "store_root.hpp"

namespace kgen::cache {

bool is_pack_file_name(std::string_view name) noexcept {
    return name.size() == 16 + pack_suffix.size() && name.ends_with(pack_suffix) &&
           is_hex(name.substr(0, 16));
}

std::string pack_file_path(const Digest& pack) {
    return std::string(pack_folder) + '/' + pack.short_hex() + std::string(pack_suffix);
}

OpenedPackFile open_pack_file(int directory, const std::string& path, TrustMode trust) {
    OpenedPackFile opened;
    FileDescriptor file = open_to_read(directory, path.c_str(), Links::refused);
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

OpenedPack open_pack(int directory, const std::string& path, TrustMode trust, KeepFile keep) {
    OpenedPackFile opened = open_pack_file(directory, path, trust);
    OpenedPack pack;
    pack.status = opened.status;
    pack.reason = opened.reason;
    pack.detail = std::move(opened.detail);
    if (!opened.file.is_open()) return pack;
    const auto size = static_cast<std::uint64_t>(pack.status.st_size);
    PackOpening opening = keep == KeepFile::yes
                              ? PackReader::open(std::move(opened.file), size)
                              : PackReader::open_index(pack_bytes(opened.file), size);
    pack.reader = std::move(opening.reader);
    if (pack.reader == nullptr) {
        pack.reason = miss_reason_of(opening.problem);
        pack.detail =
            opening.error != 0 ? error_text(opening.error) : std::string(to_text(opening.problem));
    }
    return pack;
}

MissReason miss_reason_of(PackProblem problem) noexcept {
    if (problem == PackProblem::none) return MissReason::none;
    if (problem == PackProblem::unreadable) return MissReason::unreadable;
    return may_be_newer(problem) ? MissReason::newer_format : MissReason::damaged;
}

}  // namespace kgen::cache
