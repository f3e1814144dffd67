// SPDX-License-Identifier: MIT
//
// .npy files of sharded arrays, read and written by blocks.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <kgen/error.hpp>
#include <kgen/npy.hpp>

#include "array/files/npy_header.hpp"
#include "memory/layout.hpp"
#include "shard/exchange.hpp"
#include "shard/sharded_array_access.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// The bytes of a file, mapped to be written. All functions return 0 or the number of an error (errno).
class WrittenFile {
public:
    WrittenFile() = default;
    WrittenFile(const WrittenFile&) = delete;
    WrittenFile& operator=(const WrittenFile&) = delete;
    ~WrittenFile() {
        if (data_ != MAP_FAILED) ::munmap(data_, size_);
        if (file_ >= 0) ::close(file_);
    }

    // Makes or empties the file and reserves its bytes, so that no later write finds the disk full.
    int create(const std::string& path, std::size_t bytes) {
        file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (file_ < 0) return errno;
        if (const int error = ::posix_fallocate(file_, 0, static_cast<off_t>(bytes))) return error;
        return map(bytes);
    }
    int open(const std::string& path, std::size_t bytes) {
        file_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        return file_ < 0 ? errno : map(bytes);
    }
    std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }
    int sync() const { return ::msync(data_, size_, MS_SYNC) == 0 ? 0 : errno; }

private:
    int map(std::size_t bytes) {
        size_ = bytes;
        data_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
        return data_ == MAP_FAILED ? errno : 0;
    }
    int file_ = -1;
    void* data_ = MAP_FAILED;
    std::size_t size_ = 0;
};

// Ends a step that all ranks take. Throws IoError on all of them if it failed on one. `error` is a number as of errno.
void agree(const Communicator& communicator, const std::string& path, int error) {
    const std::vector<int> mine(communicator.local_ranks().size(), error);
    const std::vector<int> all = exchange_values(communicator, mine);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        if (all[rank] != 0)
            throw IoError(fmt::format(
                "{}: rank {} cannot write it: {}", path, rank, std::strerror(all[rank])));
    }
}

void write_blocks(const ShardedParts& parts, std::byte* data) {
    const Array file =
        Array::view(static_cast<void*>(data), parts.dtype, parts.shape, {.device = Device::host()});
    const Box all = box_of(parts.shape, Sharding::replicated(), 0);
    const std::span<const int> ranks = parts.communicator.local_ranks();
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        if (parts.sharding.is_replicated() && ranks[k] != 0) continue;
        view_of_box(file, all, box_of(parts.shape, parts.sharding, ranks[k]))
            .assign(parts.blocks[k].to(Device::host()));
    }
}

}  // namespace

ShardedArray load_npy(const std::string& path,
                      const Sharding& sharding,
                      const Communicator& communicator) {
    return shard(load_npy(path, {.access = NpyAccess::mapped}), sharding, communicator);
}

void save_npy(const std::string& path, const ShardedArray& array) try {
    const ShardedParts& parts = ShardedArrayAccess::parts(array);
    const std::string header = make_npy_header(parts.dtype, Order::c, parts.shape);
    const std::size_t bytes =
        header.size() + static_cast<std::size_t>(checked_size_bytes(parts.shape, parts.dtype));
    const std::string partial = path + ".partial";
    const bool is_first = parts.communicator.rank() == 0;
    WrittenFile file;
    agree(parts.communicator, partial, is_first ? file.create(partial, bytes) : 0);
    agree(parts.communicator, partial, is_first ? 0 : file.open(partial, bytes));
    if (is_first) std::memcpy(file.data(), header.data(), header.size());
    if (bytes > header.size()) write_blocks(parts, file.data() + header.size());
    agree(parts.communicator, partial, file.sync());
    const bool is_renamed = !is_first || std::rename(partial.c_str(), path.c_str()) == 0;
    agree(parts.communicator, path, is_renamed ? 0 : errno);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
