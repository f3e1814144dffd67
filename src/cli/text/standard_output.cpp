// SPDX-License-Identifier: MIT
#include "cli/text/standard_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <kgen/error.hpp>
#include <kgen/suggestion.hpp>
#include <kgen/terminal_text.hpp>
#include <nlohmann/json.hpp>

#include "cli/exit_status.hpp"

namespace kgen::cli {

void prepare_standard_output() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) != -1) continue;
        // open() returns the lowest free number, which is this one. Read-only, so that writing to it still
        // fails.
        static_cast<void>(::open("/dev/null", O_RDONLY));
    }
}

std::string in_line(std::string_view value) {
    return terminal_text(value, LineBreaks::escaped);
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& valid) {
    const std::vector<std::string_view> views(valid.begin(), valid.end());
    const std::string_view nearest = nearest_name(name, views);
    return nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest);
}

std::string labelled(std::string_view label, std::size_t width, std::string_view text) {
    std::string result = fmt::format("{:<{}} ", label, width);
    for (const char letter : text) {
        result += letter;
        if (letter == '\n') result.append(width + 1, ' ');
    }
    return result + "\n";
}

void write_text(std::string_view text) {
    const std::string shown = terminal_text(text, LineBreaks::kept);
    const bool written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size();
    if (written && std::fflush(stdout) == 0) return;
    const int error = errno;
    if (error == EPIPE) throw ClosedPipe();
    throw IoError(fmt::format("stdout: cannot be written: {}", std::strerror(error)));
}

bool is_stdout_closed() noexcept {
    ::pollfd output{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

void write_json(const nlohmann::ordered_json& object) {
    constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
    write_text(object.dump(-1, ' ', true, replace) + "\n");
}

void write_result(bool json, const nlohmann::ordered_json& object, std::string_view text) {
    json ? write_json(object) : write_text(text);
}

}  // namespace kgen::cli
