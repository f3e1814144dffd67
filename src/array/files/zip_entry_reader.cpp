// SPDX-License-Identifier: MIT
#include "array/files/zip_entry_reader.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <kgen/error.hpp>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "array/files/zip_format.hpp"

namespace kgen {

namespace {

using namespace zip;

// The greatest ratio that deflate reaches: 258 bytes from 2 bits.
constexpr std::uint64_t largest_ratio = 1032;

std::string_view method_name(std::uint16_t method) {
    switch (method) {
        case 9:
            return "deflate64";
        case 12:
            return "bzip2";
        case 14:
            return "LZMA";
        case 20:
        case 93:
            return "zstd";
        case 95:
            return "xz";
        default:
            return "unknown";
    }
}

void require_readable(const ZipEntry& entry) {
    if ((entry.flags & (flag_encrypted | flag_strongly_encrypted | flag_masked)) != 0) {
        throw IoError("is encrypted\ndecrypt the archive first: kgen asks for no password");
    }
    const bool is_known = entry.method == method_stored || entry.method == method_deflated;
    if (!is_known || (entry.flags & flag_patch) != 0) {
        throw IoError(
            fmt::format("is compressed by method {} ({}), expected stored or deflated\n"
                        "write it with numpy.savez_compressed",
                        entry.method,
                        is_known ? "a patch" : method_name(entry.method)));
    }
    if (entry.method == method_stored && entry.bytes != entry.packed_bytes) {
        throw IoError(fmt::format(
            "is stored in {} bytes, but declares {} bytes", entry.packed_bytes, entry.bytes));
    }
    if (entry.method == method_deflated && entry.bytes / largest_ratio > entry.packed_bytes) {
        throw IoError(
            fmt::format("claims to inflate from {} to {} bytes; deflate expands at most {} times",
                        entry.packed_bytes,
                        entry.bytes,
                        largest_ratio));
    }
}

}  // namespace

// Inflates raw deflate data, which have no zlib header.
class ZipEntryReader::Inflater {
public:
    Inflater() : input_(std::size_t{256} << 10) {
        if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    bool is_at_end() const { return is_at_end_; }
    std::size_t unused_input() const { return stream_.avail_in; }

    // Returns the number of inflated bytes, which is less than `bytes` only at the end of the stream.
    // `refill(buffer, size)` reads up to `size` bytes of input and returns their number, 0 at the end of the
    // input.
    template <typename Refill>
    std::size_t inflate(void* buffer, std::size_t bytes, const Refill& refill) {
        std::size_t done = 0;
        while (done < bytes && !is_at_end_) {
            if (stream_.avail_in == 0) {
                stream_.avail_in = static_cast<uInt>(refill(input_.data(), input_.size()));
                stream_.next_in = input_.data();
            }
            const auto room =
                static_cast<uInt>(std::min<std::size_t>(bytes - done, std::size_t{1} << 30));
            stream_.next_out = static_cast<Bytef*>(buffer) + done;
            stream_.avail_out = room;
            const int status = ::inflate(&stream_, Z_NO_FLUSH);
            done += room - stream_.avail_out;
            is_at_end_ = status == Z_STREAM_END;
            if (status == Z_BUF_ERROR) throw IoError("its deflated data are truncated");
            if (status == Z_MEM_ERROR) throw std::bad_alloc();
            if (status != Z_OK && !is_at_end_) {
                throw IoError(
                    fmt::format("its deflated data are damaged: {}",
                                stream_.msg != nullptr ? stream_.msg : "no deflate stream"));
            }
        }
        return done;
    }

private:
    z_stream stream_{};
    std::vector<Bytef> input_;
    bool is_at_end_ = false;
};

ZipEntryReader::ZipEntryReader(const InputFile& file, const ZipEntry& entry)
    : file_(&file), entry_(&entry) {
    require_readable(entry);
    find_data();
    if (entry.method == method_deflated) inflater_ = std::make_unique<Inflater>();
}

ZipEntryReader::~ZipEntryReader() = default;

// Finds the data. Checks that the entry's own header agrees with the directory and that the data end before
// the next entry.
void ZipEntryReader::find_data() {
    const std::string header = file_->read_text(entry_->header_offset, local_bytes);
    if (number_32(header, 0) != local_signature) {
        throw IoError(fmt::format("has no header at byte {}, where the zip directory points",
                                  entry_->header_offset));
    }
    const std::size_t name_bytes = number_16(header, 26);
    const std::size_t extra_bytes = number_16(header, 28);
    data_offset_ = entry_->header_offset + local_bytes + name_bytes + extra_bytes;
    if (data_offset_ > entry_->end_limit ||
        entry_->end_limit - data_offset_ < entry_->packed_bytes) {
        throw IoError(
            fmt::format("has {} bytes from byte {} on, beyond byte {}, where the next entry or the "
                        "zip directory begins",
                        entry_->packed_bytes,
                        data_offset_,
                        entry_->end_limit));
    }
    const std::string behind =
        file_->read_text(entry_->header_offset + local_bytes, name_bytes + extra_bytes);
    const auto differs = [](const char* what) {
        throw IoError(fmt::format("its {} in the header differs from the zip directory", what));
    };
    if (behind.substr(0, name_bytes) != entry_->name) differs("name");
    if (number_16(header, 8) != entry_->method) differs("compression");
    if (((number_16(header, 6) ^ entry_->flags) & flag_encrypted) != 0) differs("encryption");
    if ((number_16(header, 6) & flag_descriptor) != 0) return;  // they follow the data
    Extra64 long_forms(std::string_view(behind).substr(name_bytes));
    if (long_forms.take(number_32(header, 22), "size") != entry_->bytes) differs("size");
    if (long_forms.take(number_32(header, 18), "packed size") != entry_->packed_bytes)
        differs("packed size");
    if (number_32(header, 14) != entry_->crc) differs("checksum");
}

void ZipEntryReader::read_packed(void* buffer, std::size_t bytes) {
    if (file_->read_at(data_offset_ + packed_done_, buffer, bytes) != bytes) {
        throw IoError("became shorter while it was read");
    }
    packed_done_ += bytes;
}

std::size_t ZipEntryReader::read(void* buffer, std::size_t bytes) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes, entry_->bytes - done_));
    const auto refill = [&](void* input, std::size_t room) {
        const auto count = static_cast<std::size_t>(
            std::min<std::uint64_t>(room, entry_->packed_bytes - packed_done_));
        read_packed(input, count);
        return count;
    };
    if (inflater_ == nullptr) {
        read_packed(buffer, wanted);
    } else if (const std::size_t count = inflater_->inflate(buffer, wanted, refill);
               count != wanted) {
        throw IoError(fmt::format("inflates to {} bytes, not to the {} of the zip directory",
                                  done_ + count,
                                  entry_->bytes));
    }
    crc_ = static_cast<std::uint32_t>(::crc32_z(crc_, static_cast<const Bytef*>(buffer), wanted));
    done_ += wanted;
    if (done_ != entry_->bytes || wanted == 0) return wanted;
    if (inflater_ != nullptr) {
        unsigned char beyond = 0;
        if (inflater_->inflate(&beyond, 1, refill) != 0) {
            throw IoError(fmt::format("inflates to more than the {} bytes of the zip directory",
                                      entry_->bytes));
        }
        const std::uint64_t used = packed_done_ - inflater_->unused_input();
        if (used != entry_->packed_bytes) {
            throw IoError(fmt::format(
                "its deflated data end after {} of {} bytes", used, entry_->packed_bytes));
        }
    }
    if (crc_ != entry_->crc) {
        throw IoError(
            fmt::format("is damaged: its checksum is {:08x}, the zip directory says {:08x}",
                        crc_,
                        entry_->crc));
    }
    return wanted;
}

}  // namespace kgen
