// SPDX-License-Identifier: MIT
#include "shard/runtime_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <kgen/error.hpp>

#include "text/environment.hpp"
#include "text/log.hpp"

namespace kgen {

namespace {

void* open_first(const LibrarySearch& search, int flags) {
    for (const char* name : search.names) {
        if (void* library = ::dlopen(name, flags | RTLD_NOW)) return library;
    }
    return nullptr;
}

std::string path_of(void* library) {
    const link_map* map = nullptr;
    if (::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return "";
    return map->l_name;
}

}  // namespace

RuntimeLibrary::RuntimeLibrary(const LibrarySearch& search)
    : title_(search.title), variable_(search.variable) {
    if (const auto file = environment(search.variable)) {
        handle_ = ::dlopen(file->c_str(), search.flags | RTLD_NOW);
        if (handle_ == nullptr) {
            const char* reason = ::dlerror();
            throw CommunicationError(
                fmt::format("no {}: {}='{}' cannot be opened: {}; set it to the file of {}",
                            title_,
                            variable_,
                            *file,
                            reason != nullptr ? reason : "unknown reason",
                            search.names.front()));
        }
    } else {
        handle_ = open_first(search, search.flags | RTLD_NOLOAD);
        if (handle_ == nullptr) handle_ = open_first(search, search.flags);
        if (handle_ == nullptr) {
            throw CommunicationError(
                fmt::format("no {}: looked for {} through the loader's path (LD_LIBRARY_PATH, "
                            "/etc/ld.so.cache); {}, or "
                            "set {} to its file",
                            title_,
                            fmt::join(search.names, ", "),
                            search.remedy,
                            variable_));
        }
    }
    path_ = path_of(handle_);
    log().debug("opened {} '{}'", title_, path_);
}

void* RuntimeLibrary::find(const char* symbol) const noexcept {
    return ::dlsym(handle_, symbol);
}

void* RuntimeLibrary::require(const char* symbol) const {
    if (void* address = find(symbol)) return address;
    throw CommunicationError(
        fmt::format("'{}' is not {}, or too old: it has no {}; set {} to another file",
                    path_,
                    title_,
                    symbol,
                    variable_));
}

}  // namespace kgen
