// SPDX-License-Identifier: MIT
#include "benchmarks/naive_loop.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

namespace kgen::bench {

namespace {

// The compiler that is set for the host device, else the system's.
std::string naive_compiler() {
    for (const char* name : {"KGEN_HOST_CXX", "CXX"}) {
        const char* setting = std::getenv(name);
        if (setting != nullptr && *setting != '\0') return setting;
    }
    return "c++";
}

}  // namespace

NaiveLoop::NaiveLoop(const Case& given,
                     const PreparedCase& prepared,
                     NaiveKnows knows,
                     std::string_view options) {
    for (const auto* operands : {&prepared.inputs(), &prepared.outputs()}) {
        for (const OperandMemory& operand : *operands) pointers_.push_back(operand.view().data());
    }
    const ScratchFolder folder;
    const std::string source = folder.path() + "/naive.cpp";
    const std::string library = folder.path() + "/naive.so";
    NaiveText loop = naive_loop_text(given, prepared, knows);
    numbers_ = std::move(loop.numbers);
    std::ofstream(source) << loop.text;
    const std::string command =
        fmt::format("{} -std=c++17 -O3 -march=native {} -w -shared -fPIC -o '{}' '{}' 2> '{}/log'",
                    naive_compiler(),
                    options,
                    library,
                    source,
                    folder.path());
    if (std::system(command.c_str()) != 0) {
        std::ifstream log(folder.path() + "/log");
        std::string line;
        while (std::getline(log, line) && line.find("error") == std::string::npos) continue;
        throw Error(fmt::format("the naive loop does not compile: {}", line));
    }
    library_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr)
        throw Error(fmt::format("the naive loop cannot be loaded: {}", ::dlerror()));
    run_ = reinterpret_cast<void (*)(void* const*, const long*)>(::dlsym(library_, "run"));
}

NaiveLoop::~NaiveLoop() {
    ::dlclose(library_);
}

}  // namespace kgen::bench
