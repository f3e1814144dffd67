// SPDX-License-Identifier: MIT
#include "host/compile/header_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <kgen/error.hpp>
#include <system_error>

#include "digest.hpp"
#include "file_descriptor.hpp"
#include "files/absolute_path.hpp"

namespace kgen {

namespace {

namespace fs = std::filesystem;

// Returns how many levels the name leads upwards: 2 for "../../x.h".
std::ptrdiff_t steps_up(const std::string& name) {
    const fs::path plain = fs::path(name).lexically_normal();
    return std::count(plain.begin(), plain.end(), fs::path(".."));
}

void write_header(const fs::path& path, const Header& header) {
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    cache::FileDescriptor file(::open(path.c_str(), flags, 0600));
    int code = file.is_open() ? 0 : errno;
    if (code == 0) code = cache::write_all(file.get(), 0, cache::as_bytes(header.text));
    if (code == 0) code = file.close();
    if (code == 0) return;
    throw DeviceError(fmt::format("header '{}': temporary file '{}' cannot be written: {}",
                                  header.name,
                                  path.string(),
                                  std::strerror(code)),
                      "write",
                      code);
}

}  // namespace

HeaderFolder::HeaderFolder(const std::string& directory, const CompileJob& job) {
    std::ptrdiff_t depth = 0;
    for (const Header& header : job.headers) depth = std::max(depth, steps_up(header.name));
    fs::path path = fs::path(directory) / "include";
    for (std::ptrdiff_t step = 0; step < depth; ++step) path /= "below";
    std::error_code failed;
    fs::create_directories(path, failed);
    if (failed) {
        throw DeviceError(
            fmt::format(
                "temporary directory '{}' cannot be created: {}", path.string(), failed.message()),
            "mkdir",
            failed.value());
    }
    path_ = path.string();
    has_headers_ = !job.headers.empty();
    for (const Header& header : job.headers) {
        // The compiler opens the file of an absolute name itself.
        if (!header.name.starts_with('/'))
            write_header((path / header.name).lexically_normal(), header);
    }
    for (const std::string& each : job.include_directories)
        directories_.push_back(absolute_path(each).string());
}

std::vector<std::string> HeaderFolder::options() const {
    std::vector<std::string> options = {"-I" + path_};
    if (has_headers_) options.push_back(fmt::format("-ffile-prefix-map={}/=", path_));
    for (const std::string& directory : directories_) options.push_back("-I" + directory);
    return options;
}

void HeaderFolder::hide_path(std::string& output) const {
    const std::string prefix = path_ + "/";
    for (std::size_t at = output.find(prefix); at != std::string::npos;
         at = output.find(prefix, at)) {
        output.erase(at, prefix.size());
    }
}

std::string with_absolute_path(const std::string& option) {
    if (!option.starts_with("-I")) return option;
    return "-I" + absolute_path(option.substr(2)).string();
}

}  // namespace kgen
