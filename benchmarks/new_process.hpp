// SPDX-License-Identifier: MIT
//
// Runs this program again in a new process, for measurements that are possible only once in a process.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kgen::bench {

// Runs this program with the arguments, waits, and returns its standard output. Its standard error is that of
// this process. `variables` are added to the environment; an empty value removes a variable. Throws Error if
// the exit status is not 0.
std::string run_new_process(const std::vector<std::string>& arguments,
                            const std::vector<std::pair<std::string, std::string>>& variables = {});

// A new folder, which the destructor removes.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

}  // namespace kgen::bench
