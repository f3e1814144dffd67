// SPDX-License-Identifier: MIT
#include "cli/text/sass_text.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <kgen/error.hpp>
#include <memory>
#include <string_view>

namespace kgen::cli {

namespace {

constexpr int not_found = 127;  // an exit status

// A shell script: searches PATH, then the folders of installed toolkits.
constexpr std::string_view command = R"(
PATH="${{PATH:-/usr/bin:/bin}}${{CUDA_HOME:+:$CUDA_HOME/bin}}${{CUDA_PATH:+:$CUDA_PATH/bin}}:/usr/local/cuda/bin"
program=$(command -v nvdisasm) || exit {}
exec "$program" /proc/self/fd/{})";

[[noreturn]] void fail(const std::string& why) {
    throw Error(fmt::format("nvdisasm cannot disassemble the cubin: {}", why));
}

}  // namespace

std::string sass_text(const std::string& cubin) {
    // A file without a name, which the child inherits.
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
        ::fdopen(::memfd_create("kgen-cubin", 0), "w"), std::fclose);
    if (file == nullptr || std::fwrite(cubin.data(), 1, cubin.size(), file.get()) != cubin.size() ||
        std::fflush(file.get()) != 0) {
        fail(std::strerror(errno));
    }
    std::FILE* output = ::popen(fmt::format(command, not_found, ::fileno(file.get())).c_str(), "r");
    if (output == nullptr) fail(std::strerror(errno));
    std::string text;
    std::array<char, 65536> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), output))
        text.append(buffer.data(), count);
    const int status = ::pclose(output);
    if (WIFEXITED(status) && WEXITSTATUS(status) == not_found) {
        throw Error(
            "nvdisasm was not found on PATH, in CUDA_HOME/bin or in /usr/local/cuda/bin\nit comes "
            "with the CUDA toolkit");
    }
    if (status != 0) {
        fail(fmt::format("it ended with {} {}",
                         WIFSIGNALED(status) ? "signal" : "status",
                         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
    }
    return text;
}

}  // namespace kgen::cli
