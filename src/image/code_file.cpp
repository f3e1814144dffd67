// SPDX-License-Identifier: MIT
#include "image/code_file.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <kgen/error.hpp>

#include "files/input_file.hpp"
#include "image/cuda_binary.hpp"

namespace kgen {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
constexpr std::string_view kinds = "expected CUDA C++, PTX, a cubin or a fatbin";

// Accepts any encoding that contains ASCII.
bool is_text(std::string_view bytes) {
    return std::none_of(bytes.begin(), bytes.end(), [](char letter) {
        const auto code = static_cast<unsigned char>(letter);
        const bool is_blank = code >= '\t' && code <= '\r';
        return (code < ' ' && !is_blank) || code == 0x7f;
    });
}

CodeFile compiled(CodeFile::Kind kind, ImageKind section, std::string arch, std::string_view code) {
    CodeFile file;
    file.kind = kind;
    file.image.target = {DeviceKind::cuda, std::move(arch)};
    const auto* const data = reinterpret_cast<const std::byte*>(code.data());
    file.image.sections.push_back({section, {data, data + code.size()}});
    return file;
}

CodeFile parse_text(std::string_view text) {
    if (is_ptx(text))
        return compiled(CodeFile::Kind::ptx, ImageKind::ptx, read_ptx_arch(text), text);
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    CodeFile file;
    file.text = text;
    return file;
}

}  // namespace

CodeFile parse_code_file(const std::string& bytes) {
    if (bytes.empty()) throw IoError(fmt::format("is empty: {}", kinds));
    if (bytes.starts_with(ELFMAG))
        return compiled(CodeFile::Kind::cubin, ImageKind::cubin, check_cubin(bytes), bytes);
    if (is_fatbin(bytes)) {
        check_fatbin(bytes);
        return compiled(CodeFile::Kind::fatbin, ImageKind::fatbin, {}, bytes);
    }
    // PTX is often stored with the final NUL that the driver expects.
    const std::size_t last = bytes.find_last_not_of('\0');
    const std::string_view text = std::string_view(bytes).substr(0, last + 1);
    if (text.empty() || !is_text(text))
        throw IoError(fmt::format("has an unknown type: {}", kinds));
    return parse_text(text);
}

CodeFile read_code_file(const std::string& path) {
    try {
        if (path.find('\0') != std::string::npos)
            throw IoError("the name of the file holds a NUL character");
        const InputFile file(path, fmt::format(": {}", kinds));
        const std::uint64_t size = file.size_bytes();
        if (size > most_bytes) {
            throw IoError(
                fmt::format("too large: got {} bytes, expected at most {}", size, most_bytes));
        }
        return parse_code_file(file.read_text(0, size));
    } catch (const IoError& error) {
        throw IoError(fmt::format("{}: {}", path.c_str(), error.what()));
    }
}

namespace {

// Takes the next word, up to a blank or comma. Empty at the end.
std::string_view take_word(std::string_view& text) {
    const auto is_blank = [](char letter) {
        return std::isspace(static_cast<unsigned char>(letter)) != 0 || letter == ',';
    };
    for (;;) {
        text.remove_prefix(static_cast<std::size_t>(
            std::find_if_not(text.begin(), text.end(), is_blank) - text.begin()));
        std::string_view end;
        if (text.starts_with("//")) {
            end = "\n";
        } else if (text.starts_with("/*")) {
            end = "*/";
        } else {
            break;
        }
        const std::size_t at = text.find(end, 2);
        text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
    }
    const auto stop = std::find_if(text.begin(), text.end(), is_blank);
    const std::string_view word = text.substr(0, static_cast<std::size_t>(stop - text.begin()));
    text.remove_prefix(word.size());
    return word;
}

}  // namespace

bool is_ptx(std::string_view text) {
    return take_word(text) == ".version";
}

std::string read_ptx_arch(std::string_view text) {
    take_word(text);  // .version
    take_word(text);  // 9.0
    if (take_word(text) == ".target") {
        const std::string_view target = take_word(text);
        if (target.starts_with("sm_")) return "compute_" + std::string(target.substr(3));
    }
    throw IoError("is PTX without '.target sm_...' after its .version: is it truncated?");
}

}  // namespace kgen
