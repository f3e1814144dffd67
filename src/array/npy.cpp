// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <kgen/npy.hpp>
#include <vector>

#include "array/array_access.hpp"
#include "array/host_order.hpp"
#include "array/layout.hpp"
#include "array/npy_header.hpp"
#include "array/replacement_file.hpp"

namespace kgen {

namespace {

// An open file, read in order.
class InputFile {
public:
    explicit InputFile(const std::string& path) {
        // Not blocking: the open of a FIFO without a writer would wait for one.
        descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (descriptor_ < 0)
            throw IoError(fmt::format("cannot be opened: {}", std::strerror(errno)));
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
            ::close(descriptor_);
            throw IoError(S_ISDIR(status.st_mode) ? "is a directory, not an .npy file"
                                                  : "is not a regular file");
        }
        size_ = static_cast<std::int64_t>(status.st_size);
    }
    ~InputFile() { ::close(descriptor_); }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    std::int64_t size() const { return size_; }

    // Returns how many bytes were read: fewer than asked for at the end of the file.
    std::size_t read(void* buffer, std::size_t bytes) {
        std::size_t done = 0;
        while (done < bytes) {
            const ::ssize_t count =
                ::read(descriptor_, static_cast<char*>(buffer) + done, bytes - done);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) throw IoError(fmt::format("cannot be read: {}", std::strerror(errno)));
            if (count == 0) break;
            done += static_cast<std::size_t>(count);
        }
        return done;
    }

    void seek(std::size_t offset) { ::lseek(descriptor_, static_cast<::off_t>(offset), SEEK_SET); }

private:
    int descriptor_ = -1;
    std::int64_t size_ = 0;
};

// Brings what was read to the form in memory: little-endian, bool as 0 and 1.
void normalise(unsigned char* bytes, std::size_t size, NpyType type) {
    if (type.dtype == DType::bool_) {
        for (std::size_t k = 0; k < size; ++k) bytes[k] = bytes[k] != 0;
    }
    if (type.order == ByteOrder::little) return;
    const std::size_t item = item_size(type.dtype);
    const std::size_t part = kind_of(type.dtype) == DTypeKind::complex ? item / 2 : item;
    for (std::size_t k = 0; k + part <= size; k += part) std::reverse(bytes + k, bytes + k + part);
}

void read_data(InputFile& file, const Array& array, NpyType type) {
    const auto total = static_cast<std::size_t>(array.size_bytes());
    constexpr std::size_t chunk_bytes = std::size_t{16} << 20;  // a multiple of every item size
    const bool on_host = array.device().kind() == DeviceKind::host;
    require_host_elements(array.device());
    std::vector<unsigned char> buffer(on_host ? 0 : std::min(total, chunk_bytes));
    for (std::size_t at = 0; at < total; at += chunk_bytes) {
        const std::size_t bytes = std::min(chunk_bytes, total - at);
        auto* target = static_cast<unsigned char*>(array.data()) + at;
        unsigned char* chunk = on_host ? target : buffer.data();
        if (file.read(chunk, bytes) != bytes) throw IoError("became shorter while it was read");
        normalise(chunk, bytes, type);
        if (on_host) continue;
        array.storage()->backend().copy(target,
                                        chunk,
                                        bytes,
                                        CopyDirection::host_to_device,
                                        current_stream(array.device()).handle());
    }
}

Array load(const std::string& path, const NpyOptions& options) {
    InputFile file(path);
    std::string start(npy_prefix_bytes, '\0');
    start.resize(file.read(start.data(), start.size()));
    const NpyPrefix prefix = parse_npy_prefix(start);
    std::string dictionary(prefix.header_bytes, '\0');
    file.seek(prefix.size_bytes);
    if (file.read(dictionary.data(), dictionary.size()) != dictionary.size()) {
        throw IoError("truncated: it ends within the header");
    }
    const NpyHeader header = parse_npy_header(dictionary);
    const NpyType type = parse_npy_descr(header.descr, options.dtype);
    if (options.dtype && *options.dtype != type.dtype) {
        throw IoError(fmt::format("holds {}, but {} is asked for; astype() converts",
                                  to_text(type.dtype),
                                  to_text(*options.dtype)));
    }
    std::int64_t promised = 0;
    try {
        promised = checked_size_bytes(header.shape, type.dtype);
    } catch (const ShapeError& error) {
        throw IoError(fmt::format("too large: {}", error.what()));
    }
    const std::int64_t present =
        file.size() - static_cast<std::int64_t>(prefix.size_bytes + prefix.header_bytes);
    if (present < promised) {
        throw IoError(
            fmt::format("truncated: the header promises {} bytes of data, the file has {}",
                        promised,
                        std::max<std::int64_t>(present, 0)));
    }
    const Device device = options.device ? *options.device : current_device();
    const Order order = header.fortran_order ? Order::f : Order::c;
    const Array array = allocate_array(header.shape,
                                       contiguous_strides(header.shape, type.dtype, order),
                                       type.dtype,
                                       current_stream(device));
    read_data(file, array, type);
    return array;
}

void save(const std::string& path, const Array& array) {
    const bool is_fortran = !array.is_contiguous(Order::c) && array.is_contiguous(Order::f);
    const std::string header =
        make_npy_header(array.dtype(), is_fortran ? Order::f : Order::c, array.shape());
    ReplacementFile file(path);
    file.write(header.data(), header.size());
    const Array in_order = is_fortran ? array.transpose() : array;
    const auto bytes = static_cast<std::size_t>(array.size_bytes());
    if (array.device().kind() == DeviceKind::host && in_order.is_contiguous()) {
        file.write(in_order.data(), bytes);
    } else {
        std::vector<std::byte> elements(bytes);
        in_order.copy_to_host(elements.data());
        file.write(elements.data(), bytes);
    }
    file.commit();
}

}  // namespace

Array load_npy(const std::string& path, const NpyOptions& options) {
    try {
        return load(path, options);
    } catch (const IoError& error) {
        throw IoError(fmt::format("{}: {}", path, error.what()));
    }
}

void save_npy(const std::string& path, const Array& array) {
    require_value(array, "save_npy");
    require_host_elements(array.device());
    try {
        save(path, array);
    } catch (const IoError& error) {
        throw IoError(fmt::format("{}: {}", path, error.what()));
    }
}

}  // namespace kgen
