// SPDX-License-Identifier: MIT
#include "array/files/zip_writer.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <optional>

#include "array/files/zip_format.hpp"
#include "text/ascii_text.hpp"

namespace kgen {

namespace {

using namespace zip;

constexpr std::uint16_t version_needed = 20;     // deflate
constexpr std::uint16_t version_needed_64 = 45;  // zip64
constexpr std::uint16_t made_on_unix = 3 << 8;
constexpr std::uint32_t regular_file = 0100644U << 16;
constexpr std::uint16_t midnight = 0;
constexpr std::uint16_t first_day = 1 << 5 | 1;  // 1 January 1980, as NumPy writes it

// Deflates data that are given piece by piece, without a zlib header.
class Deflater {
public:
    Deflater() : output_(std::size_t{256} << 10) {
        const int status = deflateInit2(&stream_,
                                        Z_DEFAULT_COMPRESSION,
                                        Z_DEFLATED,
                                        -MAX_WBITS,
                                        MAX_MEM_LEVEL - 1,
                                        Z_DEFAULT_STRATEGY);
        if (status != Z_OK) throw std::bad_alloc();
    }
    ~Deflater() { deflateEnd(&stream_); }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;

    template <typename Put>
    void deflate(const void* data, std::size_t bytes, const Put& put) {
        const auto* next = static_cast<const Bytef*>(data);
        while (bytes > 0) {
            const auto count =
                static_cast<uInt>(std::min<std::size_t>(bytes, std::size_t{1} << 30));
            stream_.next_in = const_cast<Bytef*>(next);  // zlib only reads it
            stream_.avail_in = count;
            run(Z_NO_FLUSH, put);
            next += count;
            bytes -= count;
        }
    }

    template <typename Put>
    void finish(const Put& put) {
        run(Z_FINISH, put);
    }

private:
    template <typename Put>
    void run(int flush, const Put& put) {
        do {
            stream_.next_out = output_.data();
            stream_.avail_out = static_cast<uInt>(output_.size());
            ::deflate(&stream_, flush);
            put(output_.data(), output_.size() - stream_.avail_out);
        } while (stream_.avail_out == 0);
    }

    z_stream stream_{};
    std::vector<Bytef> output_;
};

// Appends the fields that an entry has in its header and in the directory.
void append_facts(std::string& record,
                  const ZipEntry& entry,
                  std::uint32_t packed_bytes,
                  std::uint32_t bytes,
                  std::size_t extra_bytes) {
    append(record, extra_bytes > 0 ? version_needed_64 : version_needed, entry.flags, entry.method);
    append(record, midnight, first_day, entry.crc, packed_bytes, bytes);
    append(record, static_cast<std::uint16_t>(entry.name.size()));
    append(record, static_cast<std::uint16_t>(extra_bytes));
}

}  // namespace

void ZipWriter::put(const void* data, std::size_t bytes) {
    file_->write(data, bytes);
    at_ += bytes;
}

std::string ZipWriter::header_of(const ZipEntry& entry, bool has_64_bits) const {
    std::string header;
    append(header, local_signature);
    append_facts(header,
                 entry,
                 has_64_bits ? all_ones_32 : static_cast<std::uint32_t>(entry.packed_bytes),
                 has_64_bits ? all_ones_32 : static_cast<std::uint32_t>(entry.bytes),
                 has_64_bits ? 20 : 0);
    header += entry.name;
    if (has_64_bits) {
        append(header, extra64_id, std::uint16_t{16}, entry.bytes, entry.packed_bytes);
    }
    return header;
}

void ZipWriter::add(const std::string& name,
                    std::uint64_t bytes,
                    const std::function<void(const Sink&)>& write) {
    ZipEntry entry;
    entry.name = name;
    entry.flags = is_ascii(name) ? std::uint16_t{0} : flag_utf8;
    entry.method = compression_ == NpzCompression::deflated ? method_deflated : method_stored;
    entry.bytes = bytes;
    entry.header_offset = at_;
    // This must be known before anything is deflated. The limit leaves room because data that do not compress
    // grow by a few bytes in each block.
    const bool has_64_bits = bytes + bytes / 1000 + 1000 > largest_;
    const std::string preliminary = header_of(entry, has_64_bits);
    put(preliminary.data(), preliminary.size());

    const std::uint64_t data_offset = at_;
    const auto put_packed = [this](const void* data, std::size_t count) { put(data, count); };
    std::optional<Deflater> deflater;
    if (compression_ == NpzCompression::deflated) deflater.emplace();
    write([&](const void* data, std::size_t count) {
        entry.crc = static_cast<std::uint32_t>(
            ::crc32_z(entry.crc, static_cast<const Bytef*>(data), count));
        if (deflater) {
            deflater->deflate(data, count, put_packed);
        } else {
            put(data, count);
        }
    });
    if (deflater) deflater->finish(put_packed);
    entry.packed_bytes = at_ - data_offset;
    const std::string header = header_of(entry, has_64_bits);
    file_->overwrite(entry.header_offset, header.data(), header.size());
    entries_.push_back(std::move(entry));
}

void ZipWriter::finish() {
    const std::uint64_t directory_offset = at_;
    const auto short_form = [this](std::uint64_t number) {
        return number > largest_ ? all_ones_32 : static_cast<std::uint32_t>(number);
    };
    for (const ZipEntry& entry : entries_) {
        std::string extra;
        for (const std::uint64_t number : {entry.bytes, entry.packed_bytes, entry.header_offset}) {
            if (number > largest_) append(extra, number);
        }
        const bool has_64_bits = !extra.empty();
        std::string record;
        append(record, entry_signature);
        const std::uint16_t version = has_64_bits ? version_needed_64 : version_needed;
        append(record, static_cast<std::uint16_t>(made_on_unix | version));
        append_facts(record,
                     entry,
                     short_form(entry.packed_bytes),
                     short_form(entry.bytes),
                     has_64_bits ? 4 + extra.size() : 0);
        append(record, std::uint16_t{0});  // comment
        append(record, std::uint16_t{0});  // number of the archive's part
        append(record, std::uint16_t{0});  // internal attributes
        append(record, regular_file, short_form(entry.header_offset));
        record += entry.name;
        if (has_64_bits) {
            append(record, extra64_id, static_cast<std::uint16_t>(extra.size()));
            record += extra;
        }
        put(record.data(), record.size());
    }
    const std::uint64_t directory_bytes = at_ - directory_offset;
    const std::uint64_t count = entries_.size();
    std::string end;
    if (count >= all_ones_16 || directory_offset > largest_ || directory_bytes > largest_) {
        append(end, end64_signature, std::uint64_t{end64_bytes - 12});
        append(end, static_cast<std::uint16_t>(made_on_unix | version_needed_64));
        append(end, version_needed_64);
        append(end, std::uint64_t{0});  // numbers of this part and of the directory's part
        append(end, count, count, directory_bytes, directory_offset);
        append(end, locator64_signature, std::uint32_t{0}, at_, std::uint32_t{1});
    }
    const auto short_count =
        static_cast<std::uint16_t>(std::min<std::uint64_t>(count, all_ones_16));
    append(end, end_signature, std::uint32_t{0}, short_count, short_count);
    append(end, short_form(directory_bytes), short_form(directory_offset));
    append(end, std::uint16_t{0});  // comment
    put(end.data(), end.size());
}

}  // namespace kgen
