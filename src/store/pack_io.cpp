// SPDX-License-Identifier: MIT
//
// Reads and writes pack files at paths that the user gives.
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <kgen/pack.hpp>
#include <kgen/terminal_text.hpp>

#include "files/replacement_file.hpp"
#include "pack_bytes.hpp"
#include "pack_reader.hpp"
#include "store_root.hpp"

namespace kgen {

namespace {

[[noreturn]] void fail_reading(const std::string& path, const std::string& reason) {
    throw IoError(
        fmt::format("{}: cannot be read: {}", terminal_text(path, LineBreaks::escaped), reason));
}

void check(const std::string& path, cache::PackProblem problem) {
    if (problem == cache::PackProblem::none) return;
    throw PackError(
        fmt::format("{}: {}", terminal_text(path, LineBreaks::escaped), to_text(problem)));
}

void read(const cache::FileBytes& file, const std::string& path, std::span<std::byte> bytes) {
    const int error = file.read(0, bytes);
    if (error != 0) fail_reading(path, error < 0 ? "it became shorter" : cache::error_text(error));
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
    try {
        ReplacementFile file(path);
        file.write(bytes.data(), bytes.size());
        file.commit();
    } catch (const IoError& error) {
        throw IoError(fmt::format("{}: {}", path, error.what()));
    }
}

}  // namespace

std::vector<std::byte> read_pack_file(const std::string& path) {
    cache::FileDescriptor opened = cache::open_to_read(path);
    struct stat status {};
    if (!opened.is_open() || ::fstat(opened.get(), &status) != 0) {
        fail_reading(path, cache::error_text(errno));
    }
    if (!S_ISREG(status.st_mode)) fail_reading(path, "it is not a regular file");
    const cache::FileBytes file(std::move(opened));
    const auto size = static_cast<std::uint64_t>(status.st_size);
    // Checked before memory is allocated: the header confirms the size and that it is within the limits.
    if (size < cache::pack_header_bytes) check(path, cache::PackProblem::too_short);
    std::array<std::byte, cache::pack_header_bytes> start;
    read(file, path, start);
    cache::PackHeader header;
    check(path, cache::read_pack_header(start, size, header));
    std::vector<std::byte> pack(static_cast<std::size_t>(size));
    read(file, path, pack);
    check(path, cache::verify_pack(pack));
    return pack;
}

void write_pack_file(const std::string& path, std::span<const std::byte> pack) {
    write_file(path, pack);
}

void write_embedded_pack(const std::string& path, std::span<const std::byte> pack) {
    const std::string text = embed_pack(pack, std::filesystem::path(path).stem().string());
    write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace kgen
