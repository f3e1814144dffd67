// SPDX-License-Identifier: MIT
//
// RuntimeLibrary: a library of another project, opened at run time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgen {

struct LibrarySearch {
    std::string title;     // "NCCL"
    const char* variable;  // names a file to use instead: "KGEN_NCCL_PATH"
    std::vector<const char*>
        names;           // of the versions that fit, in the order of preference: "libnccl.so.2"
    std::string remedy;  // "install ..."
    int flags;           // RTLD_LOCAL or RTLD_GLOBAL
};

class RuntimeLibrary {
public:
    // Opens the file that the variable names. Otherwise takes a copy that the process has loaded already, for example as
    // part of another framework, because two copies would not know of each other; else the first name that the loader
    // finds. The library stays open until the end of the process. Throws CommunicationError.
    explicit RuntimeLibrary(const LibrarySearch& search);

    const std::string& path() const noexcept { return path_; }
    // Returns nullptr if neither the library nor one that it loads has the symbol.
    void* find(const char* symbol) const noexcept;
    // Sets `function`. Throws CommunicationError if there is no such symbol.
    template <typename Function>
    void bind(Function*& function, const char* symbol) const {
        function = reinterpret_cast<Function*>(require(symbol));
    }

private:
    void* require(const char* symbol) const;

    std::string title_;
    std::string variable_;
    std::string path_;
    void* handle_ = nullptr;
};

}  // namespace kgen
