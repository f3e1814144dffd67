// SPDX-License-Identifier: MIT
//
// What can be measured once in a process is measured in new ones: this program, run again.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kgen::bench {

// Runs this program with the arguments, waits, and returns what it wrote to stdout. Variables are
// added to the environment, an empty value removes one. Throws Error if it ends with another status
// than 0; its stderr is ours.
std::string run_new_process(const std::vector<std::string>& arguments,
                            const std::vector<std::pair<std::string, std::string>>& variables = {});

// A new folder that goes with its object.
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
