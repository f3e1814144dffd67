// SPDX-License-Identifier: MIT
#include "cli/standard_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <kgen/error.hpp>
#include <nlohmann/json.hpp>

namespace kgen::cli {

void prepare_standard_output() {
    std::signal(SIGPIPE, SIG_IGN);
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) != -1) continue;
        // The lowest free number is this one. Read-only, so that a write to it still fails.
        static_cast<void>(::open("/dev/null", O_RDONLY));
    }
}

void write_text(std::string_view text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (written && std::fflush(stdout) == 0) return;
    throw IoError(fmt::format("stdout: cannot be written: {}", std::strerror(errno)));
}

void write_json(const nlohmann::ordered_json& object) {
    constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
    write_text(object.dump(-1, ' ', false, replace) + "\n");
}

}  // namespace kgen::cli
