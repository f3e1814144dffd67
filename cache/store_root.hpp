// SPDX-License-Identifier: MIT
//
// The store's root directory: found, checked and kept open. What is in it is code that this process
// will run, so nobody but its user (and root) may be able to put anything there.
#pragma once

#include <sys/types.h>

#include <string>

#include "file_descriptor.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

enum class CreateRoot : bool { no, yes };

struct RootResult {
    FileDescriptor directory;  // open, or the reason is below
    bool absent = false;       // does not exist, and was not to be created
    bool transient = false;    // the process lacks descriptors or memory: it may work later
    std::string problem;       // "'/a/b' may be written by others (mode 0777); run ..."
};

// Opens the directory of that absolute path. Unless under TrustMode::any, the path is walked from "/",
// links included, and each directory and link on it must belong to the effective user or root; a
// directory that others may write is accepted above the root only if it is sticky, as /tmp is. Under
// TrustMode::group a group of this user's may write to the root itself. Missing directories are made
// with mode 0700, whatever the umask (those of a group: 2770, and 0750 above the root).
RootResult open_root(const std::string& path, TrustMode trust, CreateRoot create);

// Why what that absolute path leads to, a file or a directory, may have been put there by others: as for
// open_root, of a read-only place; empty if it may not, if it does not exist, and under TrustMode::any.
std::string distrust_path(const std::string& path, TrustMode trust);

// Whether the effective user is in that group.
bool is_own_group(gid_t group);

// "0755"
std::string mode_text(mode_t mode);

// errno as text, without the locale.
std::string error_text(int error);

}  // namespace kgen::cache
