// SPDX-License-Identifier: MIT
//
// Reads and writes pack files at paths that the user gives.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <kgen/pack.hpp>
#include <kgen/terminal_text.hpp>
#include <memory>
#include <utility>

#include "files/absolute_path.hpp"
#include "files/replacement_file.hpp"
#include "image/process_store.hpp"
#include "pack_reader.hpp"
#include "read_only_place.hpp"
#include "store_root.hpp"
#include "text/cpp_literal.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

void use(std::unique_ptr<cache::PackPlace> place) {
    const std::string problem = place->problem();
    if (!problem.empty()) throw PackError(fmt::format("{}: {}", place->name(), problem));
    add_to_process_store(std::move(place));
}

[[noreturn]] void fail_reading(const std::string& path, const std::string& reason) {
    throw IoError(
        fmt::format("{}: cannot be read: {}", terminal_text(path, LineBreaks::escaped), reason));
}

void check(const std::string& path, cache::PackProblem problem) {
    if (problem == cache::PackProblem::none) return;
    throw PackError(
        fmt::format("{}: {}", terminal_text(path, LineBreaks::escaped), to_text(problem)));
}

void read(const cache::FileDescriptor& file, const std::string& path, std::span<std::byte> bytes) {
    const int error = cache::read_all(file.get(), 0, bytes);
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

void use_pack(std::span<const std::byte> pack, std::string_view name) try {
    use(std::make_unique<cache::PackPlace>(fmt::format("pack {}", name), pack));
} catch (...) {
    rethrow_as_error();
}

void use_pack_file(const std::string& path) try {
    const std::string absolute = absolute_path(path).lexically_normal().string();
    use(std::make_unique<cache::PackPlace>(absolute, process_store_settings().trust));
} catch (...) {
    rethrow_as_error();
}

std::vector<std::byte> read_pack_file(const std::string& path) try {
    const cache::FileDescriptor file = cache::open_to_read(path);
    struct stat status {};
    if (!file.is_open() || ::fstat(file.get(), &status) != 0) {
        fail_reading(path, cache::error_text(errno));
    }
    if (!S_ISREG(status.st_mode)) fail_reading(path, "it is not a regular file");
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
} catch (...) {
    rethrow_as_error();
}

void write_pack_file(const std::string& path, std::span<const std::byte> pack) try {
    write_file(path, pack);
} catch (...) {
    rethrow_as_error();
}

void write_embedded_pack(const std::string& path,
                         std::span<const std::byte> pack,
                         std::string_view more) try {
    std::string text = embed_pack(pack, std::filesystem::path(path).stem().string());
    text += more;
    write_file(path, std::as_bytes(std::span(text)));
} catch (...) {
    rethrow_as_error();
}

// The pack becomes one string literal with escapes. For 5 MB of random bytes g++ 12 takes 1.3 s and 90 MB of
// memory on one core, against 7.3 s and 220 MB for an array of unsigned long long.
std::string embed_pack(std::span<const std::byte> pack, std::string_view name) try {
    const cache::PackProblem problem = cache::verify_pack(pack);
    if (problem != cache::PackProblem::none) {
        throw PackError(fmt::format("pack '{}': {}", name, to_text(problem)));
    }
    std::string text;
    text.reserve(4 * pack.size() + 1024);
    text +=
        "// Compiled kernels, written by kgen: not to be edited.\n"
        "#include <kgen/pack.hpp>\n\n"
        "#ifdef __clang__\n"
        "#pragma clang diagnostic ignored \"-Woverlength-strings\"\n"
        "#endif\n\n"
        "namespace {\n\n"
        "constexpr char kgen_pack_bytes[] =";
    append_literals(text, pack);
    text += ";\n\nconst kgen::EmbeddedPack kgen_pack(\n    ";
    append_literal(text, std::as_bytes(std::span(name)));
    text +=
        ",\n    std::as_bytes(std::span(kgen_pack_bytes, sizeof kgen_pack_bytes - 1)));\n\n}  // "
        "namespace\n";
    return text;
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
