// SPDX-License-Identifier: MIT
#include "host/compile/child_watch.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <kgen/error.hpp>
#include <mutex>
#include <set>

#include "file_descriptor.hpp"
#include "host/compile/start_program.hpp"

namespace kgen {
namespace {

// The first signal ends the processes that write into the directory; the shell ignores it. The last signal
// ends the processes that ignored the first one, and the shell.
constexpr const char* script =
    "read -r end; trap '' TERM; kill -TERM 0; "
    "[ -z \"$1\" ] || command -p rm -rf -- \"$1\" || command -p rm -rf -- \"$1\"; kill -KILL 0";

// This process's ends of the pipes. A child that the program forks would keep them open, so they are closed
// in it.
class OpenEnds {
public:
    static OpenEnds& get() {
        static auto* ends = [] {
            auto* made = new OpenEnds;
            ::pthread_atfork([] { get().mutex_.lock(); },
                             [] { get().mutex_.unlock(); },
                             [] { get().close_in_child(); });
            return made;
        }();
        return *ends;
    }
    // Returns false and sets errno if the pipe cannot be made.
    bool open(std::array<int, 2>& pipe) {
        const std::lock_guard lock(mutex_);
        if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return false;
        files_.insert(pipe[1]);
        return true;
    }
    void close(int file) {
        const std::lock_guard lock(mutex_);
        files_.erase(file);
        ::close(file);
    }

private:
    void close_in_child() {
        for (const int file : files_) ::close(file);
        files_.clear();
        mutex_.unlock();
    }

    std::mutex mutex_;
    std::set<int> files_;
};

}  // namespace

ChildWatch::ChildWatch(const std::string& directory, const std::string& program) {
    std::array<int, 2> pipe{};
    if (!OpenEnds::get().open(pipe)) fail_to_start(program, "pipe2", errno);
    const cache::FileDescriptor death(pipe[0]);
    life_ = pipe[1];
    try {
        const cache::FileDescriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        if (!nothing.is_open()) fail_to_start(program, "open", errno);
        group_ = start_program({.arguments = {"/bin/sh", "-c", script, "kgen", directory},
                                .variables = {},
                                .input = death.get(),
                                .output = nothing.get()});
    } catch (const DeviceError& error) {
        OpenEnds::get().close(life_);
        fail_to_start(program, error.call().c_str(), error.code());
    }
}

ChildWatch::~ChildWatch() {
    end();
    while (::waitpid(group_, nullptr, 0) < 0 && errno == EINTR) {
    }
    OpenEnds::get().close(life_);
}

void ChildWatch::end() noexcept {
    ::kill(-group_, SIGKILL);
}

}  // namespace kgen
