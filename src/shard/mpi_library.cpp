// SPDX-License-Identifier: MIT
#include "shard/mpi_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <kgen/error.hpp>

#include "text/environment.hpp"

namespace kgen {

namespace {

constexpr std::size_t longest_text =
    8192;  // MPI_MAX_LIBRARY_VERSION_STRING of the standard interface

LibrarySearch mpi_search() {
    LibrarySearch search = {.title = "MPI",
                            .variable = "KGEN_MPI_PATH",
                            // Open MPI, MPICH, MPICH in Debian, the standard interface
                            .names = {"libmpi.so.40",
                                      "libmpi.so.12",
                                      "libmpich.so.12",
                                      "libmpi_abi.so.1",
                                      "libmpi_abi.so.0",
                                      "libmpi.so.0"},
                            .remedy = "install Open MPI or MPICH (Debian's package openmpi-bin)",
                            // Open MPI's plugins need its symbols in the global scope.
                            .flags = RTLD_GLOBAL};
    // MPICH's mpirun sets PMI_SIZE, and Open MPI's does not.
    if (environment("PMI_SIZE") && !environment("OMPI_COMM_WORLD_SIZE"))
        std::rotate(search.names.begin(), search.names.begin() + 1, search.names.end());
    return search;
}

// The name tells the standard interface apart, because its library may load others, which export more.
bool is_standard_interface(const std::string& path) {
    std::error_code failed;
    const std::string real = std::filesystem::canonical(path, failed).filename().string();
    return std::filesystem::path(path).filename().string().find("mpi_abi") != std::string::npos ||
           real.find("mpi_abi") != std::string::npos;
}

bool is_like_mpich(const std::string& version) {
    for (const char* name : {"MPICH", "Intel", "MVAPICH"}) {
        if (version.find(name) != std::string::npos) return true;
    }
    return false;
}

std::string library_version(const RuntimeLibrary& library) {
    int (*get_library_version)(char*, int*) = nullptr;
    library.bind(get_library_version, "MPI_Get_library_version");
    std::array<char, longest_text> text{};
    int length = 0;
    get_library_version(text.data(), &length);
    return text.data();
}

// Returns "Open MPI v4.1.4" for "Open MPI v4.1.4, package: ...", "MPICH Version: 4.0.2" for lines of MPICH.
std::string short_version(const std::string& version) {
    std::string text = version.substr(0, version.find_first_of(",\n"));
    for (char& c : text) {
        if (c == '\t') c = ' ';
    }
    return text;
}

void ignore_error(void*, int*, ...) {}

}  // namespace

MpiLibrary::MpiLibrary() : library_(mpi_search()), version_(library_version(library_)) {
    library_.bind(api_.initialized, "MPI_Initialized");
    library_.bind(api_.finalized, "MPI_Finalized");
    library_.bind(api_.init_thread, "MPI_Init_thread");
    library_.bind(api_.finalize, "MPI_Finalize");
    library_.bind(api_.comm_rank, "MPI_Comm_rank");
    library_.bind(api_.comm_size, "MPI_Comm_size");
    library_.bind(api_.comm_idup, "MPI_Comm_idup");
    library_.bind(api_.comm_free, "MPI_Comm_free");
    library_.bind(api_.comm_create_errhandler, "MPI_Comm_create_errhandler");
    library_.bind(api_.comm_set_errhandler, "MPI_Comm_set_errhandler");
    library_.bind(api_.isend, "MPI_Isend");
    library_.bind(api_.irecv, "MPI_Irecv");
    library_.bind(api_.ibcast, "MPI_Ibcast");
    library_.bind(api_.test, "MPI_Test");
    library_.bind(api_.cancel, "MPI_Cancel");
    library_.bind(api_.error_string, "MPI_Error_string");

    serialized_ = 2;
    if (is_standard_interface(library_.path())) {
        // MPI 5.0, appendix A.1.1, and mpi.h of github.com/mpi-forum/mpi-abi-stubs.
        world_ = 0x101;
        byte_ = 0x247;
        serialized_ = 2048;
    } else if (void* world = library_.find("ompi_mpi_comm_world")) {
        world_ = reinterpret_cast<MpiHandle>(world);
        byte_ = reinterpret_cast<MpiHandle>(library_.find("ompi_mpi_byte"));
    } else if (is_like_mpich(version_)) {
        // MPICH ABI compatibility initiative: the values of mpi.h since MPICH 3.1.
        world_ = 0x44000000;
        byte_ = 0x4c00010d;
    } else {
        throw CommunicationError(fmt::format(
            "'{}' is an unknown MPI: {}; set KGEN_MPI_PATH to that of Open MPI, MPICH or the "
            "standard interface of MPI 5 (libmpi_abi.so.1)",
            library_.path(),
            short_version(version_)));
    }
}

void MpiLibrary::initialise() {
    int flag = 0;
    api_.finalized(&flag);
    if (flag != 0)
        throw CommunicationError(
            "MPI is finalized already, and cannot be started again in this process");
    api_.initialized(&flag);
    if (flag == 0) {
        int provided = 0;
        if (const int code = api_.init_thread(nullptr, nullptr, serialized_, &provided);
            code != 0) {
            throw CommunicationError(fmt::format(
                "MPI '{}' does not start: MPI_Init_thread: {}", path(), error_text(code)));
        }
        finalizes_ = true;
        std::atexit([] {
            MpiLibrary& mpi = get();
            if (mpi.finalizes_ && !mpi.is_finalized()) mpi.api_.finalize();
        });
    }
    // A handler of our own, because the value of MPI_ERRORS_RETURN depends on the interface.
    api_.comm_create_errhandler(ignore_error, &handler_);
}

MpiLibrary& MpiLibrary::get() {
    static MpiLibrary& opened = *[] {
        MpiLibrary* const made = new MpiLibrary;
        made->initialise();
        return made;
    }();
    return opened;
}

std::string MpiLibrary::description() {
    const MpiLibrary library;
    return fmt::format("{}, {}", short_version(library.version_), library.path());
}

bool MpiLibrary::is_finalized() const {
    int flag = 0;
    api_.finalized(&flag);
    return flag != 0;
}

std::string MpiLibrary::error_text(int code) const {
    std::array<char, longest_text> text{};
    int length = 0;
    if (api_.error_string(code, text.data(), &length) != 0) return fmt::format("error {}", code);
    return text.data();
}

bool MpiLibrary::is_complete(MpiHandle& request, int& code) const {
    alignas(16) std::array<std::byte, 128> status{};  // MPI_Status has at most 32 bytes
    int flag = 0;
    code = api_.test(&request, &flag, status.data());
    return flag != 0;
}

}  // namespace kgen
