// SPDX-License-Identifier: MIT
#include "host/kernel/shared_object.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <kgen/error.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "file_descriptor.hpp"
#include "host/compile/host_target.hpp"
#include "host/compile/temporary_directory.hpp"
#include "host/compile/vector_math.hpp"
#include "text/log.hpp"

namespace kgen {
namespace {

// One mapping in 16 is left for the program, its threads and the C library.
constexpr std::size_t reserved_share = 16;

// Calls `take` for each part of the file. Returns false if the file cannot be read.
template <typename Take>
bool read_file(const char* path, Take take) {
    const cache::FileDescriptor file = cache::open_to_read(path);
    std::array<char, 16384> buffer;
    const auto bytes = std::as_writable_bytes(std::span(buffer));
    int error = 0;
    std::size_t got = 0;
    std::uint64_t at = 0;
    do {
        got = cache::read_range(file.get(), at, bytes, error);
        take(buffer.data(), buffer.data() + got);
        at += got;
    } while (got != 0);
    return error == 0;
}

// Each loaded object takes a few of the memory mappings that the system allows a process (vm.max_map_count).
// At the limit, malloc() and the start of threads fail as well. Returns a sentence that names the limit and
// the remedy if too few mappings are left to load another object. Empty if enough are left or the limit is
// unknown. Takes about a microsecond per mapping.
std::string find_mapping_shortage(std::size_t loaded_objects) {
    std::size_t limit = 0;
    std::size_t used = 0;
    const bool is_known =
        read_file(
            "/proc/sys/vm/max_map_count",
            [&](const char* begin, const char* end) { std::from_chars(begin, end, limit); }) &&
        read_file("/proc/thread-self/maps", [&](const char* begin, const char* end) {
            used += static_cast<std::size_t>(std::count(begin, end, '\n'));
        });
    if (!is_known || used < limit - limit / reserved_share) return {};
    return fmt::format(
        "{} kernels and modules are loaded, and the process has {} of the {} memory mappings that "
        "vm.max_map_count allows; destroy kernel objects that are not needed any more, or raise "
        "the "
        "limit with 'sysctl -w vm.max_map_count={}'",
        loaded_objects,
        used,
        limit,
        2 * limit);
}

// Returns a path of an open file that no earlier call has used. The loader would take a known path for the
// object that it has already loaded from it, and the numbers of closed files are reused. "/." does not change
// a path, so the bits of a counter are written as "/." and "/". /proc/self has no files after pthread_exit() of the
// main thread.
std::string unique_path(int file) {
    static std::atomic<std::uint64_t> counter{0};
    std::string path = "/proc/thread-self/fd";
    for (std::uint64_t rest = ++counter; rest != 0; rest >>= 1U) {
        path += (rest & 1U) != 0 ? "/." : "/";
    }
    return fmt::format("{}/{}", path, file);
}

// Kernels use libm without being linked with it. A C++ program provides it, but if kgen is a plugin of a C
// program, its symbols are not in the global scope.
void make_libm_global() {
    static const bool done = [] {
        if (::dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
            log().debug("libm.so.6 is not opened: {}", ::dlerror());
        }
        return true;
    }();
    static_cast<void>(done);
}

std::atomic<std::size_t> loaded_objects{0};
std::atomic<unsigned> loads{0};

[[noreturn]] void fail(const std::string& symbol, std::string_view reason) {
    throw DeviceError(fmt::format("host kernel '{}' cannot be loaded: {}", symbol, reason),
                      "dlopen");
}

// Fails if too few memory mappings are left.
void require_mappings(const std::string& symbol) {
    const std::string shortage = find_mapping_shortage(loaded_objects);
    if (!shortage.empty()) fail(symbol, shortage);
}

// Throws with the loader's message, without the meaningless path in front.
[[noreturn]] void fail_to_open(const std::string& symbol, const std::string& path) {
    const char* text = ::dlerror();
    std::string_view reason = text != nullptr ? text : "no reason given";
    if (reason.substr(0, path.size()) == path) reason.remove_prefix(path.size());
    while (!reason.empty() && (reason.front() == ':' || reason.front() == ' ')) {
        reason.remove_prefix(1);
    }
    const std::string said(reason);
    require_mappings(symbol);
    fail(symbol, said);
}

void* open_in_memory(const std::vector<std::byte>& bytes, const std::string& symbol) {
    const cache::FileDescriptor file(::memfd_create("kgen", MFD_CLOEXEC));
    if (!file.is_open() || cache::write_all(file.get(), 0, bytes) != 0) return nullptr;
    const std::string path = unique_path(file.get());
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr && ::access("/proc/thread-self/fd", X_OK) == 0)
        fail_to_open(symbol, path);
    return handle;
}

void* open_in_file(const std::vector<std::byte>& bytes, const std::string& symbol) {
    const TemporaryDirectory directory;
    const std::string path = directory.path() + "/kernel.so";
    {
        const cache::FileDescriptor file(
            ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        const bool is_made = file.is_open() && ::fchmod(file.get(), 0600) == 0;
        const int code = is_made ? cache::write_all(file.get(), 0, bytes) : errno;
        if (code != 0) {
            throw DeviceError(fmt::format("host kernel '{}' cannot be written to '{}': {}",
                                          symbol,
                                          path,
                                          std::strerror(code)),
                              "write",
                              code);
        }
    }
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) fail_to_open(symbol, path);
    return handle;
}

}  // namespace

SharedObject::SharedObject(const std::vector<std::byte>& bytes, std::string kernel)
    : kernel_(std::move(kernel)) {
    // Checked only sometimes, because it takes 30 ms with 60,000 mappings.
    constexpr unsigned loads_between = 64;
    if (loads++ % loads_between == 0) require_mappings(kernel_);
    make_libm_global();
    // Names of vector functions begin like this (the x86-64 vector function ABI).
    constexpr std::string_view vector_prefix = "_ZGV";
    if (::memmem(bytes.data(), bytes.size(), vector_prefix.data(), vector_prefix.size()) != nullptr)
        find_vector_math();
    handle_ = open_in_memory(bytes, kernel_);
    if (handle_ == nullptr) handle_ = open_in_file(bytes, kernel_);
    ++loaded_objects;
}

SharedObject::~SharedObject() {
    ::dlclose(handle_);
    --loaded_objects;
}

void* SharedObject::find(const std::string& symbol) const {
    void* address = ::dlsym(handle_, symbol.c_str());
    if (address == nullptr) {
        throw DeviceError(
            fmt::format("host kernel '{}' cannot be loaded: its object has no symbol '{}'",
                        kernel_,
                        symbol),
            "dlsym");
    }
    return address;
}

const std::vector<std::byte>& host_object_of(const Image& image, const std::string& subject) {
    const ImageSection* section = image.find(ImageKind::host_object);
    if (section == nullptr)
        throw DeviceError(fmt::format("{}: its image has no host object", subject));
    if (image.target == host_target()) return section->bytes;
    throw DeviceError(fmt::format("{}: it was compiled for '{}', this machine is '{}'",
                                  subject,
                                  image.target.arch,
                                  host_target().arch));
}

}  // namespace kgen
