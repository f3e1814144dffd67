// SPDX-License-Identifier: MIT
//
// Terminal: a shell in a terminal of its own, which a test types into.
#pragma once

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

// Returns the program's path, or "" if PATH has none of this name.
inline std::string find_program(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string file = folder + "/" + name;
        if (::access(file.c_str(), X_OK) == 0) return file;
    }
    return "";
}

class Terminal {
public:
    // Runs the program, whose name is its first argument, in the folder.
    Terminal(std::vector<std::string> arguments,
             const std::string& folder,
             const std::map<std::string, std::string>& environment) {
        pid_ = ::forkpty(&descriptor_, nullptr, nullptr, nullptr);
        REQUIRE(pid_ >= 0);
        if (pid_ != 0) return;
        for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
        std::vector<char*> words;
        for (std::string& argument : arguments) words.push_back(argument.data());
        words.push_back(nullptr);
        if (::chdir(folder.c_str()) == 0) ::execvp(words.front(), words.data());
        ::_exit(125);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;
    ~Terminal() {
        ::kill(pid_, SIGKILL);
        ::close(descriptor_);
        ::waitpid(pid_, nullptr, 0);
    }

    void type(const std::string& text) {
        REQUIRE(::write(descriptor_, text.data(), text.size()) ==
                static_cast<::ssize_t>(text.size()));
    }

    // Reads what the shell prints until is_done() is true. Returns false if it is not after a minute.
    template <typename IsDone>
    bool wait_until(const IsDone& is_done) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (!is_done()) {
            if (std::chrono::steady_clock::now() > end) return false;
            ::pollfd ready{.fd = descriptor_, .events = POLLIN, .revents = 0};
            if (::poll(&ready, 1, 20) <= 0) continue;
            char text[4096];
            const ::ssize_t count = ::read(descriptor_, text, sizeof text);
            if (count <= 0) return is_done();
            shown_.append(text, static_cast<std::size_t>(count));
        }
        return true;
    }

    const std::string& shown() const { return shown_; }

private:
    ::pid_t pid_ = -1;
    int descriptor_ = -1;
    std::string shown_;
};
