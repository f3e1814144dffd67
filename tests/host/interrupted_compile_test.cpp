// SPDX-License-Identifier: MIT
//
// Nothing is left of a compilation whose process ends (support/interrupted_compile.cpp), and directories that
// an ended process left behind are removed.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "host/compile/temporary_directory.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/fresh_process.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
namespace fs = std::filesystem;

namespace {

// Returns true if the process is gone or an unreaped zombie.
bool is_ended(int pid) {
    std::string state;
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    stat >> state >> state >> state;
    return state.empty() || state == "Z" || state == "X";
}

bool becomes_true(const std::function<bool()>& condition) {
    for (int k = 0; k < 5000 && !condition(); ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return condition();
}

std::vector<std::string> names_in(const std::string& directory) {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory))
        names.push_back(entry.path().filename());
    return names;
}

void write_file(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("a compile ends with the process whatever ends it, and leaves nothing behind") {
    for (const std::string way : {"SIGINT",
                                  "SIGINT to the group",
                                  "SIGTERM",
                                  "SIGHUP",
                                  "SIGSEGV",
                                  "SIGKILL",
                                  "SIGKILL after a fork",
                                  "abort",
                                  "exit",
                                  "quick_exit",
                                  "_exit",
                                  "return",
                                  "exec"}) {
        INFO(way);
        const TempDir folder;
        const std::string compiler = folder / "g++";
        fs::create_directory(folder / "tmp");
        // The compiler starts grandchildren and a child that ignores most signals and makes a file grow.
        write_file(compiler,
                   "#!/bin/sh\n"
                   "sh -c 'sleep 1000 & echo $! >>" +
                       folder / "pids" +
                       "; wait' &\n"
                       "first=$!\n"
                       "sh -c 'trap \"\" TERM INT HUP; while :; do echo >>$TMPDIR/x.o; sleep 0.01; "
                       "done' &\n"
                       "echo $$ $first $! >>" +
                       folder / "pids" +
                       "\n"
                       "while [ $(cat " +
                       folder / "pids" +
                       " | wc -l) -lt 2 ]; do sleep 0.01; done\n"
                       "mv " +
                       folder / "pids " + folder / "started" +
                       "\n"
                       "wait\n");
        fs::permissions(compiler, fs::perms::owner_all);
        run_program(fs::read_symlink("/proc/self/exe").parent_path() / "kgen_interrupted_compile",
                    way,
                    {{"KGEN_TEST_STARTED", folder / "started"},
                     {"KGEN_HOST_CXX", compiler},
                     {"KGEN_DEVICE", "host"},
                     {"KGEN_CACHE_DIR", folder / "cache"},
                     {"TMPDIR", folder / "tmp"}});
        std::ifstream file(folder / "started");
        std::vector<int> pids;
        for (int pid = 0; file >> pid;) pids.push_back(pid);
        REQUIRE(pids.size() == 4);
        for (const int pid : pids) CHECK(becomes_true([&] { return is_ended(pid); }));
        CHECK(becomes_true([&] { return names_in(folder / "tmp").empty(); }));
    }
}

TEST_CASE("directories of processes that have ended are removed, and no others") {
    const TempDir folder;
    const TempDir elsewhere;
    const ScopedVariable tmpdir("TMPDIR", folder.path());
    const auto left_behind = [&] {
        return said_by_child([]() -> std::string {
            const auto* const directory = new TemporaryDirectory;
            write_file(directory->path() + "/kernel.cpp", "text");
            fs::create_directories(directory->path() + "/include/below");
            return directory->path();
        });
    };
    // This process owns a directory, and a child that inherited it has ended.
    const TemporaryDirectory living;
    CHECK(ended_well(wait_for(start_child([] { return 0; }))));
    // These have such names, but are not kgen's, belong to another user, or are links.
    const std::string foreign = folder / "kgen-backup";
    fs::create_directory(foreign);
    write_file(foreign + "/precious", "text");
    fs::create_directory(folder / "kgen-empty1");
    write_file(folder / "kgen-file12", "text");
    write_file(elsewhere / ".kgen-owner", "");
    fs::create_directory_symlink(elsewhere.path(), folder / "kgen-link12");
    fs::create_directory(folder / "kgen-linked");
    fs::create_symlink(elsewhere / ".kgen-owner", folder / "kgen-linked" + "/.kgen-owner");
    std::size_t others = 6;
    if (::geteuid() == 0) {
        fs::create_directory(folder / "kgen-others");
        write_file(folder / "kgen-others" + "/.kgen-owner", "");
        CHECK(::chown((folder / "kgen-others").c_str(), other_user, other_user) == 0);
        ++others;
    }
    const std::string first = left_behind();
    const std::string second = left_behind();
    CHECK(first != second);
    // A search for such directories may use at most a hundredth of the time, so the next call may not search.
    CHECK(becomes_true([&] {
        const TemporaryDirectory made;
        CHECK(fs::exists(made.path()));
        return !fs::exists(first) && !fs::exists(second);
    }));
    CHECK(names_in(folder.path()).size() == others);
    CHECK(fs::exists(living.path()));
    CHECK(fs::exists(foreign + "/precious"));
    CHECK(fs::exists(elsewhere / ".kgen-owner"));
}

TEST_CASE("processes that make and leave directories at once disturb nobody") {
    const TempDir folder;
    const ScopedVariable tmpdir("TMPDIR", folder.path());
    std::vector<::pid_t> children;
    for (int k = 0; k < 8; ++k) {
        children.push_back(start_child([k] {
            for (int round = 0; round < 50; ++round) {
                const TemporaryDirectory directory;
                write_file(directory.path() + "/file", "text");
                if (!fs::exists(directory.path() + "/file")) return 1;
                if (k % 2 == 0 && round == 49) ::raise(SIGKILL);
            }
            return 0;
        }));
    }
    int well = 0;
    for (const ::pid_t child : children) well += ended_well(wait_for(child)) ? 1 : 0;
    CHECK(well == 4);
    CHECK(becomes_true([&] {
        static_cast<void>(TemporaryDirectory());
        return names_in(folder.path()).empty();
    }));
}
