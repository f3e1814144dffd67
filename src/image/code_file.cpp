// SPDX-License-Identifier: MIT
#include "image/code_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <kgen/error.hpp>

#include "image/cuda_binary.hpp"
#include "image/ptx_header.hpp"

namespace kgen {

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr std::string_view kinds = "expected CUDA C++, PTX, a cubin or a fatbin";

class InputFile {
public:
    // Does not block on a FIFO, which is refused later.
    explicit InputFile(const std::string& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
        if (descriptor_ < 0)
            throw IoError(fmt::format("cannot be opened: {}", std::strerror(errno)));
    }
    ~InputFile() { ::close(descriptor_); }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    std::size_t size() const {
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
            throw IoError(S_ISDIR(status.st_mode) ? fmt::format("is a directory: {}", kinds)
                                                  : "is not a regular file");
        }
        return static_cast<std::size_t>(status.st_size);
    }

    std::string read(std::size_t size) const {
        std::string bytes(size, '\0');
        std::size_t done = 0;
        while (done < size) {
            const ssize_t count = ::read(descriptor_, bytes.data() + done, size - done);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) throw IoError(fmt::format("cannot be read: {}", std::strerror(errno)));
            if (count == 0) throw IoError("became shorter while it was read");
            done += static_cast<std::size_t>(count);
        }
        return bytes;
    }

private:
    int descriptor_;
};

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

CodeFile parse_code_file(std::string bytes) {
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
        const InputFile file(path);
        const std::size_t size = file.size();
        if (size > most_bytes) {
            throw IoError(
                fmt::format("too large: got {} bytes, expected at most {}", size, most_bytes));
        }
        return parse_code_file(file.read(size));
    } catch (const IoError& error) {
        throw IoError(fmt::format("{}: {}", path.c_str(), error.what()));
    }
}

}  // namespace kgen
