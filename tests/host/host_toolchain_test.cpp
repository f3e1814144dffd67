// SPDX-License-Identifier: MIT
#include "host/compile/host_toolchain.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <kgen/error.hpp>
#include <optional>
#include <string>

#include "host/compile/compiler_file.hpp"
#include "host/compile/host_target.hpp"
#include "support/catch.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
namespace fs = std::filesystem;

namespace {

// A directory of programs that stand in for compilers. It is the only directory in PATH.
class Programs {
public:
    Programs() : path_("PATH", directory_.path()) {}
    std::string add(const std::string& name, const std::string& body = "exit 0") {
        const std::string path = directory_ / name;
        std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }
    const std::string& directory() const { return directory_.path(); }

private:
    TempDir directory_;
    ScopedVariable path_;
    ScopedVariable cxx_{"CXX", std::nullopt};
    ScopedVariable kgen_cxx_{"KGEN_HOST_CXX", std::nullopt};
};

}  // namespace

TEST_CASE("the compiler is the first there of KGEN_HOST_CXX, CXX, g++, c++ and clang++") {
    Programs programs;
    const std::string clang = programs.add("clang++");
    CHECK(find_host_toolchain().path == clang);
    CHECK(find_host_toolchain().family == CompilerFamily::clang);
    const std::string cxx = programs.add("c++");
    CHECK(find_host_toolchain().path == cxx);
    const std::string gnu = programs.add("g++");
    CHECK(find_host_toolchain().path == gnu);
    CHECK(find_host_toolchain().family == CompilerFamily::gnu);
    const ScopedVariable from_cxx("CXX", "clang++");
    CHECK(find_host_toolchain().path == clang);
    const ScopedVariable from_kgen("KGEN_HOST_CXX", cxx);
    CHECK(find_host_toolchain().path == cxx);
}

TEST_CASE("a CXX that is not there or is no g++ or clang++ is passed over") {
    Programs programs;
    const std::string gnu = programs.add("g++");
    programs.add("nvcc");
    for (const char* value : {"nvcc", "/nonexistent/clang++", " ", "icpx -O2"}) {
        const ScopedVariable cxx("CXX", value);
        CHECK(find_host_toolchain().path == gnu);
    }
}

TEST_CASE("words after the program become arguments, a compiler cache in front is dropped") {
    Programs programs;
    programs.add("ccache");
    const std::string gnu = programs.add("g++");
    const ScopedVariable cxx("CXX", "ccache g++  -m64");
    const HostToolchain found = find_host_toolchain();
    CHECK(found.path == gnu);
    CHECK(found.arguments == std::vector<std::string>{"-m64"});
    CHECK(found.identity.find("; argument -m64") != std::string::npos);
}

TEST_CASE("a name that leads to a compiler cache is passed over on PATH") {
    Programs cached;
    fs::create_symlink(cached.add("ccache"), cached.directory() + "/g++");
    Programs real;
    const std::string gnu = real.add("g++");
    const ScopedVariable path("PATH", cached.directory() + ":" + real.directory());
    CHECK(find_host_toolchain().path == gnu);
}

TEST_CASE("directories, files that cannot be run and relative parts of PATH are no compilers") {
    Programs programs;
    fs::create_directory(programs.directory() + "/g++");
    std::ofstream(programs.directory() + "/c++") << "text";
    const std::string clang = programs.add("clang++");
    const ScopedVariable path("PATH", ".::bin:" + programs.directory());
    CHECK(find_host_toolchain().path == clang);
}

TEST_CASE("without a compiler the error says what was looked for, where, and how to get one") {
    Programs programs;
    const ScopedVariable path("PATH", "/nonexistent");
    CHECK(KGEN_MESSAGE_OF(DeviceError, find_host_toolchain()) ==
          "no C++ compiler for the host device: looked for g++, c++, clang++ on PATH, which is "
          "'/nonexistent'; install one (apt-get install g++) or name one in KGEN_HOST_CXX");
    const ScopedVariable cxx("CXX", "icpx");
    CHECK(
        KGEN_MESSAGE_OF(DeviceError, find_host_toolchain()) ==
        "no C++ compiler for the host device: looked for 'icpx' (CXX), g++, c++, clang++ on PATH, "
        "which is '/nonexistent'; install one (apt-get install g++) or name one in KGEN_HOST_CXX");
}

TEST_CASE("a KGEN_HOST_CXX that is not there is an error, whatever else is") {
    Programs programs;
    programs.add("g++");
    const ScopedVariable named("KGEN_HOST_CXX", "/nonexistent/g++");
    CHECK(KGEN_MESSAGE_OF(DeviceError, find_host_toolchain()) ==
          "KGEN_HOST_CXX names a compiler that does not exist: got '/nonexistent/g++', expected "
          "the path of a g++ or clang++ or its name on PATH, which is '" +
              programs.directory() + "'");
}

TEST_CASE("a changed compiler has another identity, an unchanged one the same") {
    Programs programs;
    programs.add("g++", "exit 0");
    const std::string before = find_host_toolchain().identity;
    CHECK(find_host_toolchain().identity == before);
    programs.add("g++", "exit 01");
    CHECK(find_host_toolchain().identity != before);
}

TEST_CASE("gcc and clang are identified with the compiler behind their driver") {
    Programs programs;
    const std::string root = programs.directory() + "/root";
    fs::create_directories(root + "/bin");
    fs::create_directories(root + "/lib/gcc/machine/11.3.0");
    fs::create_directories(root + "/lib/gcc/machine/12.2.0");
    std::ofstream(root + "/lib/gcc/machine/11.3.0/cc1plus") << "eleven";
    std::ofstream(root + "/lib/gcc/machine/12.2.0/cc1plus") << "twelve";
    const std::string driver = root + "/bin/machine-g++-12";
    fs::rename(programs.add("g++"), driver);
    const ScopedVariable named("KGEN_HOST_CXX", driver);
    const HostToolchain first = find_host_toolchain();
    CHECK(first.name == "g++ 12.2.0");
    CHECK(full_name(first) == "g++ 12.2.0");
    std::ofstream(root + "/lib/gcc/machine/11.3.0/cc1plus") << "eleven, changed";
    CHECK(find_host_toolchain().identity == first.identity);
    std::ofstream(root + "/lib/gcc/machine/12.2.0/cc1plus") << "twelve, changed";
    CHECK(find_host_toolchain().identity != first.identity);
}

TEST_CASE("a file is identified by its build-id, else by size and time, else not at all") {
    const TempDir directory;
    CHECK(identify_file("/nonexistent").empty());
    std::ofstream(directory / "script") << "text";
    CHECK(identify_file(directory / "script").substr(0, 14) == "size 4 changed");
    std::ofstream(directory / "cut") << "\x7f"
                                        "ELF";
    CHECK(identify_file(directory / "cut").substr(0, 14) == "size 4 changed");
}

TEST_CASE("the host's target is its machine and eight hex digits, each time the same") {
    const Target& target = host_target();
    CHECK(target.kind == DeviceKind::host);
    const std::size_t dash = target.arch.find('-');
    REQUIRE(dash != std::string::npos);
    CHECK(target.arch.size() - dash == 9);
    for (const char c : target.arch.substr(dash + 1)) {
        CHECK((std::isdigit(static_cast<unsigned char>(c)) != 0 || (c >= 'a' && c <= 'f')));
    }
    CHECK(&host_target() == &target);
}
