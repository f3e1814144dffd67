// SPDX-License-Identifier: MIT
//
// The store's root directory: opening it and checking that it can be trusted. The process runs the code in
// it, so no one but its user and root may be able to write there.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <memory>
#include <string>

#include "file_descriptor.hpp"
#include "fork_mutex.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

enum class CreateRoot : bool { no, yes };

struct RootResult {
    FileDescriptor directory;  // not open in the cases below
    bool absent = false;       // it does not exist and CreateRoot::no was given
    bool transient = false;    // the process lacks descriptors or memory; it may work later
    std::string problem;       // "'/a/b' may be written by others (mode 0777); run ..."
};

// Opens the root directory with this absolute path. Unless TrustMode::any is given, each directory and link
// of the path from "/" on must belong to the effective user or root, and no other user may write to a
// directory. Sticky directories such as /tmp are an exception; they are accepted above the root. Under
// TrustMode::group a group of this user may write to the root itself. Missing directories are created with
// mode 0700, regardless of the umask; under TrustMode::group the root gets 2770 and the directories above it
// 0750.
RootResult open_root(const std::string& path, TrustMode trust, CreateRoot create);

// Returns why the file or directory with this absolute path is not trusted, by the rules of open_root for
// read-only places. Empty if it is trusted, if it does not exist, and under TrustMode::any.
std::string distrust_path(const std::string& path, TrustMode trust);

// Returns whether the process's user is a member of the group.
bool is_own_group(gid_t group);

// Returns the permission bits as four octal digits: "0755".
std::string mode_text(mode_t mode);

// Returns the description of an errno value, independent of the locale.
std::string error_text(int error);

// Returns why a file below a trusted directory is not trusted; empty if it is trusted.
std::string distrust_file(const struct stat& status, TrustMode trust);

// KeptRoot: the root directory of a store. It is opened and checked on first use and kept open. It can be
// opened again if it was removed in the meantime. Thread-safe.
class KeptRoot {
public:
    using Directory = std::shared_ptr<const FileDescriptor>;

    // The settings must outlive this object. Calls settings.warn once if the directory is refused.
    explicit KeptRoot(const StoreSettings& settings) : settings_(settings) {}

    // Returns the open directory, or nullptr if it does not exist, is refused, or cannot be opened now. In
    // the last case, a lack of descriptors or memory, `error` receives the reason.
    Directory open(CreateRoot create, std::string* error = nullptr);

    // Call this if the open directory was removed. The next open() opens and checks it again.
    void close(const Directory& stale);

    // Whether the directory is not trusted or cannot be created. open() then always returns nullptr.
    bool is_refused() const;

private:
    const StoreSettings& settings_;
    mutable ForkMutex mutex_;  // guards the next two
    Directory directory_;
    bool is_refused_ = false;
};

}  // namespace kgen::cache
