// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>

#include "benchmarks/new_process.hpp"
#include "benchmarks/transfers.hpp"

namespace kgen::bench {

namespace {

constexpr double least_file_speed = 0.8;
constexpr int file_pairs = 7;

// Returns the time in milliseconds that `cat path` takes to write the file into new memory, which is freed
// afterwards.
double cat_ms(const std::string& path) {
    const int memory = ::memfd_create("kgen-bench", MFD_CLOEXEC);
    if (memory < 0) throw Error(fmt::format("memfd_create: {}", std::strerror(errno)));
    ::posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, memory, STDOUT_FILENO);
    std::string name = "cat";
    std::string file = path;
    char* const words[] = {name.data(), file.data(), nullptr};
    ::pid_t pid = 0;
    const auto start = std::chrono::steady_clock::now();
    const int problem = ::posix_spawnp(&pid, "cat", &actions, nullptr, words, ::environ);
    int status = 0;
    while (problem == 0 && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    const double ms = milliseconds_since(start);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(memory);
    if (problem != 0) throw Error(fmt::format("posix_spawn of cat: {}", std::strerror(problem)));
    if (status != 0) throw Error(fmt::format("cat ended with status {}", status));
    return ms;
}

bool is_count_up(const Array& array) {
    const auto* values = static_cast<const std::int32_t*>(array.data());
    for (std::int64_t k = 0; k < array.size(); ++k) {
        if (values[k] != static_cast<std::int32_t>(k)) return false;
    }
    return array.size() > 0;
}

}  // namespace

std::vector<Transfer> measure_files(Scale scale) {
    const std::int64_t count = scale == Scale::quick ? 250'000 : 250'000'000;
    Transfer row{.name = fmt::format(".npy of {} MB, vs cat", count * 4 / 1'000'000),
                 .bytes = static_cast<double>(count) * 4};
    row.least_speed = least_file_speed;
    try {
        const DeviceScope host(Device::host());
        const ScratchFolder folder;
        const std::string path = folder.path() + "/counted.npy";
        save_npy(path, arange(count, int32));
        std::vector<double> kgen_ms;
        std::vector<double> bare_ms;
        std::vector<double> speeds;
        Array loaded;  // kept while the next is read, which therefore gets new memory
        for (int pair = -1; pair < (scale == Scale::quick ? 1 : file_pairs); ++pair) {
            const double theirs = cat_ms(path);
            const auto start = std::chrono::steady_clock::now();
            const Array read = load_npy(path);
            const double own = milliseconds_since(start);
            loaded = read;
            if (pair < 0) continue;
            bare_ms.push_back(theirs);
            kgen_ms.push_back(own);
            speeds.push_back(theirs / own);
        }
        row.kgen_ms = quartiles(std::move(kgen_ms));
        row.bare_ms = quartiles(std::move(bare_ms));
        row.speed = quartiles(std::move(speeds)).median;
        row.correct = is_count_up(loaded);
    } catch (const Error& error) {
        row.problem = error.what();
    }
    return {row};
}

}  // namespace kgen::bench
