// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <kgen/npy.hpp>
#include <memory>
#include <utility>

#include "array/files/npy_data.hpp"
#include "files/input_file.hpp"
#include "files/mapped_file.hpp"
#include "files/replacement_file.hpp"
#include "memory/host_order.hpp"
#include "memory/layout.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

class NpyFile final : public NpySource {
public:
    explicit NpyFile(const InputFile& file) : file_(&file) {}
    std::uint64_t size_bytes() const noexcept override { return file_->size_bytes(); }
    std::size_t read(void* buffer, std::size_t bytes) override {
        const std::size_t count = file_->read_at(at_, buffer, bytes);
        at_ += count;
        return count;
    }

private:
    const InputFile* file_;
    std::uint64_t at_ = 0;
};

void require_device_of_mapping(const NpyOptions& options) {
    if (!options.device || traits(*options.device).uses_host_memory) return;
    throw IoError(
        fmt::format("cannot be mapped for {}: mapped arrays are on the host; copy them with to()",
                    to_text(*options.device)));
}

// Returns a view of the elements in the mapped file. Throws IoError if their form in the file is not that in
// memory.
Array map_data(const InputFile& file, const NpyStart& start) {
    constexpr const char* remedy = "read it with NpyAccess::read";
    const DType dtype = start.type.dtype;
    if (start.type.order != ByteOrder::little) {
        throw IoError(fmt::format("cannot be mapped: its elements, '{}', are big-endian\n{}",
                                  start.header.descr,
                                  remedy));
    }
    const std::size_t alignment = number_bytes(dtype);
    if (start.size_bytes % alignment != 0) {
        throw IoError(
            fmt::format("cannot be mapped: its elements begin at byte {}, but {} must begin at a "
                        "multiple of {}\n{}",
                        start.size_bytes,
                        to_text(dtype),
                        alignment,
                        remedy));
    }
    auto mapping = std::make_shared<MappedFile>(file);
    const std::byte* data = mapping->data() + start.size_bytes;
    if (dtype == DType::bool_) {
        const std::byte* end = data + start.promised_bytes;
        const std::byte* wrong =
            std::find_if(data, end, [](std::byte b) { return b > std::byte{1}; });
        if (wrong != end) {
            throw IoError(fmt::format(
                "cannot be mapped: element {} is the byte {}, expected 0 or 1 for bool\n{}",
                wrong - data,
                static_cast<int>(*wrong),
                remedy));
        }
    }
    const Order order = start.header.fortran_order ? Order::f : Order::c;
    return Array::view(static_cast<const void*>(data),
                       dtype,
                       start.header.shape,
                       {.device = Device::host(),
                        .strides = contiguous_strides(start.header.shape, dtype, order),
                        .owner = std::move(mapping)});
}

Array load(const std::string& path, const NpyOptions& options) {
    if (options.access == NpyAccess::mapped) require_device_of_mapping(options);
    const InputFile file(path, ", not an .npy file");
    NpyFile source(file);
    const NpyStart start = read_npy_start(source, options);
    if (start.present_bytes < start.promised_bytes) {
        throw IoError(
            fmt::format("truncated: the header declares {} bytes of data, the file has {}",
                        start.promised_bytes,
                        start.present_bytes));
    }
    if (options.access == NpyAccess::mapped) return map_data(file, start);
    return read_npy_data(source, start, options);
}

void save(const std::string& path, const Array& array) {
    const NpyImage image(array);
    ReplacementFile file(path);
    image.write([&](const void* data, std::size_t bytes) { file.write(data, bytes); });
    file.commit();
}

}  // namespace

Array load_npy(const std::string& path, const NpyOptions& options) try {
    try {
        return load(path, options);
    } catch (const IoError& error) {
        throw IoError(fmt::format("{}: {}", path, error.what()));
    }
} catch (...) {
    rethrow_as_error();
}

void save_npy(const std::string& path, const Array& array) try {
    require_value(array, "save_npy");
    require_host_elements(array.device());
    try {
        save(path, array);
    } catch (const IoError& error) {
        throw IoError(fmt::format("{}: {}", path, error.what()));
    }
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
