// SPDX-License-Identifier: MIT
#include "host/temporary_directory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <kgen/error.hpp>
#include <system_error>

#include "text/log.hpp"

namespace kgen {

TemporaryDirectory::TemporaryDirectory() {
    const char* parent = ::secure_getenv("TMPDIR");
    if (parent == nullptr || *parent != '/') parent = "/tmp";
    path_ = fmt::format("{}/kgen-XXXXXX", parent);
    if (::mkdtemp(path_.data()) == nullptr) {  // mode 0700
        const int code = errno;
        throw DeviceError(
            fmt::format(
                "a temporary directory for the host compiler cannot be made in '{}': {}; set "
                "TMPDIR to a directory that can be written",
                parent,
                std::strerror(code)),
            "mkdtemp",
            code);
    }
    ::chmod(path_.c_str(), 0700);  // whatever the umask took away
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
    if (error) {
        log().warn("temporary directory '{}' cannot be removed: {}", path_, error.message());
    }
}

}  // namespace kgen
