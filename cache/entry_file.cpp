// SPDX-License-Identifier: MIT
#include "entry_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "store_root.hpp"
#include "store_scan.hpp"

namespace kgen::cache {

namespace {

constexpr std::string_view suffix = ".kgc";

std::string shard_path(const Digest& request) {
    return "v1/" + request.to_hex().substr(0, 2);
}

// --- Reading ---

ReadResult miss(MissReason reason, std::string_view detail) {
    return {.reason = reason, .detail = std::string(detail)};
}

ReadResult miss_of(DecodeProblem problem) {
    return miss(may_be_newer(problem) ? MissReason::newer_format : MissReason::damaged,
                to_text(problem));
}

ReadResult miss_of_read(int error) {
    return error < 0 ? miss_of(DecodeProblem::wrong_length) : miss_of_errno(error);
}

ReadResult read_and_decode(int file, const struct stat& status) {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size < entry_header_bytes) return miss_of(DecodeProblem::too_short);
    std::array<std::byte, entry_header_bytes> header;
    if (const int error = read_all(file, 0, header); error != 0) return miss_of_read(error);
    // Check the header before allocating memory, because it bounds the size.
    const DecodeProblem problem = check_header(header, size);
    if (problem != DecodeProblem::none) return miss_of(problem);

    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    std::copy(header.begin(), header.end(), bytes.begin());
    const int error =
        read_all(file, entry_header_bytes, std::span(bytes).subspan(entry_header_bytes));
    if (error != 0) return miss_of_read(error);
    DecodeResult decoded = decode_entry(bytes);
    if (!decoded.entry) return miss_of(decoded.problem);
    return {.entry = std::move(decoded.entry)};
}

// Checks and reads an open file. Fills in result.status even for a miss.
ReadResult read_open_file(int file, TrustMode trust) {
    struct stat status {};
    if (::fstat(file, &status) != 0) return miss_of_errno(errno);
    ReadResult result;
    if (!S_ISREG(status.st_mode)) {
        result = miss(MissReason::not_a_file, "the entry is not a regular file");
    } else if (const std::string problem = distrust_file(status, trust); !problem.empty()) {
        result = miss(MissReason::foreign_owner, problem);
    } else {
        result = read_and_decode(file, status);
    }
    result.status = status;
    return result;
}

// --- Writing ---

// Returns "v1/ab/.cd...-0123456789abcdef.<32 random digits>.tmp", or nothing if the system has no random
// bytes.
std::string temporary_path(const std::string& path) {
    Digest random;
    constexpr std::size_t wanted = 16;
    if (::getrandom(random.bytes.data(), wanted, 0) != ssize_t{wanted}) return {};
    const std::size_t slash = path.rfind('/');  // npos + 1 is 0
    std::string name = path.substr(slash + 1);
    if (name != directory_tag_name) name.resize(name.size() - suffix.size());
    return path.substr(0, slash + 1) + '.' + name + '.' + random.to_hex().substr(0, 2 * wanted) +
           ".tmp";
}

int write_and_close(FileDescriptor file, std::span<const std::byte> bytes, mode_t mode) {
    int error = ::fchmod(file.get(), mode) == 0 ? 0 : errno;
    if (error == 0) error = write_all(file.get(), 0, bytes);
    const int close_error = file.close();
    return error != 0 ? error : close_error;
}

// Returns whether the file consists of exactly these bytes.
bool holds(int root, const std::string& path, std::span<const std::byte> bytes) {
    const FileDescriptor file = open_to_read(root, path.c_str(), Links::refused);
    std::string found;
    return file.is_open() && read_to_end(file.get(), found, bytes.size() + 1) == 0 &&
           std::ranges::equal(as_bytes(found), bytes);
}

constexpr int create_flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

// Writes the bytes, then renames the file to `path`. Returns 0 or errno. On failure the file is removed.
int fill_and_rename(int root,
                    FileDescriptor file,
                    const std::string& temporary,
                    const std::string& path,
                    std::span<const std::byte> bytes,
                    mode_t mode) {
    int error = write_and_close(std::move(file), bytes, mode);
    if (error == 0 && ::renameat(root, temporary.c_str(), root, path.c_str()) != 0) {
        error = errno;
        // A network file system may repeat a successful rename and report the failure of the repetition.
        if (holds(root, path, bytes)) error = 0;
    }
    if (error != 0) ::unlinkat(root, temporary.c_str(), 0);
    return error;
}

// Writes the tag unless one exists, kgen's or another program's. Failure is ignored: the store works without
// it.
void write_directory_tag(int root, TrustMode trust) {
    const std::string path(directory_tag_name);
    struct stat status {};
    if (::fstatat(root, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT) return;
    const std::string temporary = temporary_path(path);
    if (temporary.empty()) return;
    const mode_t mode = file_mode(trust);
    FileDescriptor file(::openat(root, temporary.c_str(), create_flags, mode));
    if (!file.is_open()) return;
    fill_and_rename(root, std::move(file), temporary, path, as_bytes(directory_tag_text), mode);
}

int make_shard(int root, const std::string& shard, TrustMode trust) {
    int error = make_layout(root, trust);
    if (error == 0) error = make_directory_at(root, shard.c_str(), trust);
    return error == EEXIST ? 0 : error;
}

}  // namespace

std::string entry_file_path(const Digest& request, const Digest& producer) {
    const std::string hex = request.to_hex();
    return "v1/" + hex.substr(0, 2) + '/' + hex.substr(2) + '-' + producer.short_hex() +
           std::string(suffix);
}

int list_entry_files(int root, const Digest& request, std::vector<std::string>& paths) {
    const std::string shard = shard_path(request);
    std::vector<std::string> names;
    if (const int error = list_directory(root, shard.c_str(), names); error != 0) return error;
    const std::string start = request.to_hex().substr(2) + '-';
    const std::size_t length = start.size() + 16 + suffix.size();
    for (const std::string& name : names) {
        if (name.size() == length && name.starts_with(start) && name.ends_with(suffix)) {
            paths.push_back(shard + '/' + name);
        }
    }
    std::sort(paths.begin(), paths.end());
    return 0;
}

ReadResult miss_of_errno(int error) {
    if (error == ENOENT || error == ENOTDIR) return miss(MissReason::absent, {});
    if (error == ELOOP) return miss(MissReason::not_a_file, "the entry is a symbolic link");
    if (error == ENXIO) return miss(MissReason::not_a_file, "the entry is not a regular file");
    return miss(MissReason::unreadable, error_text(error));
}

ReadResult read_entry_file(int root,
                           const std::string& path,
                           const Digest& request,
                           const Digest* producer,
                           TrustMode trust) {
    const FileDescriptor file = open_to_read(root, path.c_str(), Links::refused);
    if (!file.is_open()) return miss_of_errno(errno);
    ReadResult result = read_open_file(file.get(), trust);
    if (!result.entry) return result;

    // A valid entry under a wrong name must not be used.
    const Digest made_by = sha256(result.entry->producer_identity);
    if (result.entry->request != request) {
        result.detail = "it holds the entry of another request";
    } else if (entry_file_path(request, made_by) != path ||
               (producer != nullptr && made_by != *producer)) {
        result.detail = "it holds the entry of another producer";
    } else {
        return result;
    }
    result.entry.reset();
    result.reason = MissReason::foreign_request;
    return result;
}

mode_t directory_mode(TrustMode trust) noexcept {
    return trust == TrustMode::group ? 02770 : 0700;
}

mode_t file_mode(TrustMode trust) noexcept {
    return trust == TrustMode::group ? 0660 : 0600;
}

int write_entry_file(int root,
                     const std::string& path,
                     std::span<const std::byte> bytes,
                     TrustMode trust) {
    const mode_t mode = file_mode(trust);
    const std::string temporary = temporary_path(path);
    if (temporary.empty()) return EIO;
    FileDescriptor file(::openat(root, temporary.c_str(), create_flags, mode));
    if (!file.is_open() && errno == ENOENT) {
        if (const int error = make_shard(root, path.substr(0, path.rfind('/')), trust);
            error != 0) {
            return error;
        }
        file = FileDescriptor(::openat(root, temporary.c_str(), create_flags, mode));
    }
    if (!file.is_open()) return errno;

    return fill_and_rename(root, std::move(file), temporary, path, bytes, mode);
}

FileDescriptor open_to_change(int root, const char* path, TrustMode trust) {
    constexpr int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    FileDescriptor file(::openat(root, path, flags, file_mode(trust)));
    if (file.is_open()) ::fchmod(file.get(), file_mode(trust));  // regardless of the umask
    return file;
}

int make_layout(int root, TrustMode trust) {
    // The tag comes first, so a process that is killed here never leaves an untagged cache.
    write_directory_tag(root, trust);
    const int error = make_directory_at(root, "v1", trust);
    return error == EEXIST ? 0 : error;
}

int make_directory_at(int root, const char* path, TrustMode trust) {
    if (::mkdirat(root, path, directory_mode(trust)) != 0) return errno;
    return ::fchmodat(root, path, directory_mode(trust), 0) == 0 ? 0 : errno;
}

}  // namespace kgen::cache
