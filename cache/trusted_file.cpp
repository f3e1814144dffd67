// SPDX-License-Identifier: MIT
#include "trusted_file.hpp"

#include <unistd.h>

#include "store_root.hpp"

namespace kgen::cache {

namespace {

bool is_owner_trusted(const struct stat& status, TrustMode trust) {
    if (status.st_uid == ::geteuid()) return true;
    switch (trust) {
        case TrustMode::owner:
            return false;
        case TrustMode::group:
            return is_own_group(status.st_gid);
        case TrustMode::installed:
            return status.st_uid == 0;
        case TrustMode::any:
            break;
    }
    return true;
}

}  // namespace

std::string distrust_file(const struct stat& status, TrustMode trust) {
    if (!is_owner_trusted(status, trust)) {
        return "the file belongs to user " + std::to_string(status.st_uid);
    }
    // Under TrustMode::owner the mode of the file need not be checked, because others cannot write its
    // directory.
    const mode_t writers = trust == TrustMode::group       ? S_IWOTH
                           : trust == TrustMode::installed ? S_IWGRP | S_IWOTH
                                                           : 0;
    if ((status.st_mode & writers) == 0) return {};
    return "the file may be written by others (mode " + mode_text(status.st_mode) + ")";
}

}  // namespace kgen::cache
