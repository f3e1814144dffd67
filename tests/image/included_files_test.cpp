// SPDX-License-Identifier: MIT
//
// The files that find_included_files() reaches and gives to a compiler, and what its digest detects.
#include "image/included_files.hpp"

#include <sys/stat.h>
#include <utime.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "image/find_or_compile.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;

namespace {

void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

IncludeRequest request_for(const std::string& text) {
    return {.texts = {{"k.cu", text}},
            .headers = {},
            .include_directories = {},
            .options = {},
            .device = DeviceKind::cuda,
            .toolkit_directories = std::vector<std::string>()};
}

std::vector<std::string> names_of(const IncludedFiles& files) {
    std::vector<std::string> names;
    for (const IncludedFile& file : files.files) names.push_back(file.name);
    return names;
}

// Returns the text that a compiler reads for the name, or "none".
std::string text_of(const IncludedFiles& files, std::string_view name) {
    for (const Header& header : files.headers) {
        if (header.name == name) return header.text;
    }
    return "none";
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a text that includes nothing has no digest", "[include]") {
    const IncludedFiles files = find_included_files(request_for("int a; // #include <x>\n"));
    CHECK(files.digest.empty());
    CHECK(files.headers.empty());
    CHECK(files.files.empty());
    CHECK(files.missing.empty());
    CHECK(files.include_directories.empty());
}

TEST_CASE("headers in memory come before directories, these before stand-ins and the toolkit",
          "[include]") {
    const ::TempDir first, second, toolkit;
    for (const char* name : {"a.h", "b.h", "c.h", "d.h", "cstdint"}) {
        write(second / name, "second");
        write(toolkit / name, "toolkit");
    }
    for (const char* name : {"a.h", "b.h"}) write(first / name, "first");
    write(toolkit / "e.h", "toolkit");
    write(toolkit / "limits", "toolkit");
    IncludeRequest request = request_for(
        "#include <a.h>\n#include <b.h>\n#include \"c.h\"\n#include <cstdint>\n#include <e.h>\n"
        "#include <limits>\n");
    request.headers = {{"a.h", "memory"}};
    request.include_directories = {first.path()};
    request.options = {"-DX", "-I" + second.path()};
    request.toolkit_directories = {{toolkit.path()}};
    const IncludedFiles files = find_included_files(request);
    CHECK(text_of(files, "a.h") == "memory");
    CHECK(text_of(files, "b.h") == "first");
    CHECK(text_of(files, "c.h") == "second");
    CHECK(text_of(files, "cstdint") == "second");
    CHECK(text_of(files, "e.h") == "toolkit");
    CHECK(text_of(files, "limits").find("numeric_limits") != std::string::npos);
    CHECK(text_of(files, "d.h") == "none");
    CHECK(files.include_directories.empty());
    CHECK(files.missing.empty());
    CHECK(files.digest.size() == 64);
    REQUIRE(files.files.size() >= 6);
    CHECK(files.files[0].origin == HeaderOrigin::memory);
    CHECK(files.files[0].path == "");
    CHECK(files.files[1].origin == HeaderOrigin::directory);
    CHECK(files.files[1].path == first / "b.h");
    CHECK(files.files[4].origin == HeaderOrigin::toolkit);
    CHECK(files.files[5].origin == HeaderOrigin::stand_in);
}

TEST_CASE("include directories are read in every spelling of the option", "[include]") {
    const ::TempDir directory;
    write(directory / "a.h", "here");
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"-I" + directory.path()},
          {"-I", directory.path()},
          {"-I=" + directory.path()},
          {"--include-path=" + directory.path()},
          {"--include-path", directory.path()}}) {
        INFO(options.front());
        IncludeRequest request = request_for("#include <a.h>\n");
        request.options = options;
        CHECK(text_of(find_included_files(request), "a.h") == "here");
    }
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"-include=a.h"}, {"--pre-include=a.h"}, {"-include", "a.h"}}) {
        INFO(options.front());
        IncludeRequest request = request_for("int x;\n");
        request.options = options;
        request.options.push_back("-I" + directory.path());
        const IncludedFiles files = find_included_files(request);
        CHECK(text_of(files, "a.h") == "here");
        CHECK(!files.digest.empty());
    }
}

TEST_CASE("a name in quotes means the neighbour of the including file first", "[include]") {
    const ::TempDir directory;
    write(directory / "a/one.h", "#include \"two.h\"\n#include <two.h>\n");
    write(directory / "a/two.h", "beside");
    write(directory / "two.h", "above");
    IncludeRequest request = request_for("#include <a/one.h>\n");
    request.include_directories = {directory.path()};
    const IncludedFiles files = find_included_files(request);
    CHECK(names_of(files) == Names{"a/one.h", "two.h", "kgen_1/two.h"});
    CHECK(text_of(files, "two.h") == "beside");
    CHECK(text_of(files, "kgen_1/two.h") == "above");
    CHECK(text_of(files, "a/one.h") == "#include \"two.h\"\n#include <kgen_1/two.h>\n");
}

TEST_CASE("headers in memory have neighbours too", "[include]") {
    IncludeRequest request = request_for("#include \"a/one.h\"\n");
    request.headers = {{"two.h", "above"},
                       {"a/one.h", "#include \"two.h\"\n#include \"../two.h\"\n"},
                       {"a/two.h", "beside"}};
    const IncludedFiles files = find_included_files(request);
    CHECK(names_of(files) == Names{"a/one.h", "two.h", "kgen_1/two.h"});
    CHECK(text_of(files, "two.h") == "beside");
    CHECK(text_of(files, "kgen_1/two.h") == "above");
}

TEST_CASE("the texts that are compiled keep the names that they say", "[include]") {
    const ::TempDir directory;
    write(directory / "a/one.h", "#include \"two.h\"\n");
    write(directory / "a/two.h", "beside");
    write(directory / "two.h", "above");
    IncludeRequest request = request_for("#include <a/one.h>\n#include <two.h>\n");
    request.include_directories = {directory.path()};
    const IncludedFiles files = find_included_files(request);
    CHECK(text_of(files, "two.h") == "above");
    CHECK(text_of(files, "a/one.h") == "#include <kgen_1/two.h>\n");
    CHECK(text_of(files, "kgen_1/two.h") == "beside");
}

TEST_CASE("a second name of a file in the text leads to the first", "[include]") {
    const ::TempDir directory;
    write(directory / "a.h", "#pragma once\n");
    std::filesystem::create_symlink(directory / "a.h", directory / "link.h");
    IncludeRequest request =
        request_for("#include <a.h>\n#include \"./a.h\"\n#include <x/../a.h>\n#include <link.h>\n");
    std::filesystem::create_directory(directory / "x");
    request.include_directories = {directory.path()};
    const IncludedFiles files = find_included_files(request);
    CHECK(names_of(files) == Names{"a.h"});
    CHECK(text_of(files, "a.h") == "#pragma once\n");
    for (const char* alias : {"./a.h", "x/../a.h", "link.h"}) {
        INFO(alias);
        CHECK(text_of(files, alias) == "#include <a.h>\n");
    }
}

TEST_CASE("lines keep their numbers where a name is replaced", "[include]") {
    IncludeRequest request = request_for("#include <a/one.h>\n#include <two.h>\n");
    request.headers = {
        {"a/one.h", "#include \"tw\\\no.h\" // c\nint a;\n"}, {"a/two.h", ""}, {"two.h", ""}};
    CHECK(text_of(find_included_files(request), "a/one.h") ==
          "#include <kgen_1/two.h>\\\n // c\nint a;\n");
}

TEST_CASE("the host finds every header by <name>", "[include]") {
    // A host compiler searches the folder of the including file first.
    IncludeRequest request = request_for("#include \"a/one.h\"\n");
    request.device = DeviceKind::host;
    request.headers = {{"a/one.h", "#include \"b.h\"\n"}, {"b.h", ""}};
    CHECK(text_of(find_included_files(request), "a/one.h") == "#include <b.h>\n");
}

TEST_CASE("a toolkit's headers mean their own neighbours", "[include]") {
    const ::TempDir toolkit;
    write(toolkit / "cuda_x.h", "#include \"config.h\"\n#include <config.h>\n");
    write(toolkit / "config.h", "the toolkit's");
    IncludeRequest request = request_for("#include <cuda_x.h>\n#include \"config.h\"\n");
    request.headers = {{"config.h", "the user's"}};
    request.toolkit_directories = {{toolkit.path()}};
    const IncludedFiles files = find_included_files(request);
    CHECK(text_of(files, "config.h") == "the user's");
    CHECK(text_of(files, "cuda_x.h") == "#include <kgen_1/config.h>\n#include <config.h>\n");
    CHECK(text_of(files, "kgen_1/config.h") == "the toolkit's");
}

TEST_CASE("a stand-in takes its names from CCCL only where the program has CCCL", "[include]") {
    const ::TempDir toolkit;
    write(toolkit / "cuda/std/climits", "cccl");
    write(toolkit / "cuda/other", "#include <cuda/std/climits>\n");
    IncludeRequest request = request_for("#include <climits>\n");
    request.toolkit_directories = {{toolkit.path()}};
    const IncludedFiles alone = find_included_files(request);
    CHECK(names_of(alone) == Names{"climits", "limits.h"});
    CHECK(alone.missing.empty());
    request.texts = {{"k.cu", "#include <climits>\n#include <cuda/other>\n"}};
    const IncludedFiles together = find_included_files(request);
    CHECK(names_of(together) == Names{"climits", "cuda/other", "limits.h", "cuda/std/climits"});
    CHECK(text_of(together, "limits.h") == text_of(alone, "limits.h"));
    CHECK(together.digest != alone.digest);
}

TEST_CASE("cycles, long chains and empty files end", "[include]") {
    IncludeRequest request = request_for("#include <a.h>\n");
    request.headers = {{"a.h", "#include <b.h>\n"}, {"b.h", "#include \"a.h\"\n#include <b.h>\n"}};
    CHECK(names_of(find_included_files(request)) == Names{"a.h", "b.h"});

    request.texts = {{"k.cu", "#include <0>\n"}};
    request.headers = {{"3000", ""}};
    for (int k = 0; k < 3000; ++k)
        request.headers.push_back({std::to_string(k), "#include <" + std::to_string(k + 1) + ">"});
    const IncludedFiles chain = find_included_files(request);
    CHECK(chain.files.size() == 3001);
    CHECK(chain.missing.empty());
}

TEST_CASE("what is no file that can be read is missing", "[include]") {
    const ::TempDir directory;
    std::filesystem::create_directory(directory / "folder");
    REQUIRE(::mkfifo((directory / "pipe").c_str(), 0600) == 0);
    std::filesystem::create_symlink(directory / "nowhere", directory / "broken");
    IncludeRequest request = request_for(
        "#include <folder>\n#include <pipe>\n#include <broken>\n#include <>\n"
        "#include \"/dev/null\"\n#if __has_include(<gone>)\n#endif\n");
    request.include_directories = {directory.path(), directory / "no such folder"};
    const IncludedFiles files = find_included_files(request);
    CHECK(files.missing == Names{"", "/dev/null", "broken", "folder", "gone", "pipe"});
    CHECK(files.headers.empty());
    CHECK(!files.digest.empty());
}

TEST_CASE("bytes of any kind are passed on", "[include]") {
    const ::TempDir directory;
    std::string bytes;
    for (int k = 1; k < 256; ++k) bytes += static_cast<char>(k);
    write(directory / "table.inc", bytes);
    IncludeRequest request = request_for("const char a[] = {\n#include \"table.inc\"\n};\n");
    request.include_directories = {directory.path()};
    CHECK(text_of(find_included_files(request), "table.inc") == bytes);
}

TEST_CASE("the digest tells contents, names, meanings and missing files apart", "[include]") {
    const auto digest_of = [](const std::string& text, const std::vector<Header>& headers) {
        IncludeRequest request = request_for(text);
        request.headers = headers;
        return find_included_files(request).digest;
    };
    const std::string both = "#include <a.h>\n#include <b.h>\n";
    const std::string digest = digest_of(both, {{"a.h", "1"}, {"b.h", "2"}});
    CHECK(digest == digest_of(both, {{"b.h", "2"}, {"c.h", "unused"}, {"a.h", "1"}}));
    CHECK(digest != digest_of(both, {{"a.h", "1"}, {"b.h", "3"}}));
    CHECK(digest != digest_of(both, {{"a.h", "2"}, {"b.h", "1"}}));
    CHECK(digest != digest_of(both, {{"a.h", "1"}}));
    CHECK(digest != digest_of(both, {{"a.h", "1"}, {"b.h", "2#include <c.h>"}}));
    CHECK(digest_of(both, {{"a.h", "1"}}) != digest_of("#include <a.h>\n", {{"a.h", "1"}}));
    // If a header has a neighbour of that name, the include names another file than without it.
    const std::vector<Header> with = {{"x/a.h", "#include \"b.h\""}, {"b.h", "1"}, {"x/b.h", "1"}};
    const std::vector<Header> without = {{"x/a.h", "#include \"b.h\""}, {"b.h", "1"}};
    CHECK(digest_of("#include <x/a.h>\n#include <b.h>", with) !=
          digest_of("#include <x/a.h>\n#include <b.h>", without));
}

TEST_CASE("the digest does not depend on where files lie", "[include]") {
    const ::TempDir first, second;
    std::vector<std::string> digests;
    for (const std::string& path : {first.path(), second.path()}) {
        write(path + "/a.h", "#include \"b/c.h\"\n");
        write(path + "/b/c.h", "int c;\n");
        IncludeRequest request = request_for("#include \"a.h\"\n");
        request.include_directories = {path};
        digests.push_back(find_included_files(request).digest);
    }
    CHECK(digests[0] == digests[1]);
    IncludeRequest request = request_for("#include \"a.h\"\n");
    request.headers = {{"a.h", "#include \"b/c.h\"\n"}, {"b/c.h", "int c;\n"}};
    CHECK(find_included_files(request).digest == digests[0]);
}

TEST_CASE("a file that changes is read again at once, whatever its time says", "[include]") {
    const ::TempDir directory;
    IncludeRequest request = request_for("#include <a.h>\n");
    request.include_directories = {directory.path()};
    const std::string missing = find_included_files(request).digest;
    write(directory / "a.h", "1");
    const IncludedFiles first = find_included_files(request);
    write(directory / "a.h", "2");
    const IncludedFiles second = find_included_files(request);
    CHECK(text_of(first, "a.h") == "1");
    CHECK(text_of(second, "a.h") == "2");
    CHECK(first.digest != second.digest);
    CHECK(first.digest != missing);
    // An old file is replaced by one of the same size.
    const ::utimbuf old = {1000000000, 1000000000};
    REQUIRE(::utime((directory / "a.h").c_str(), &old) == 0);
    CHECK(text_of(find_included_files(request), "a.h") == "2");
    CHECK(text_of(find_included_files(request), "a.h") == "2");
    write(directory / "b.h", "3");
    REQUIRE(::utime((directory / "b.h").c_str(), &old) == 0);
    std::filesystem::rename(directory / "b.h", directory / "a.h");
    CHECK(text_of(find_included_files(request), "a.h") == "3");
    std::filesystem::remove(directory / "a.h");
    CHECK(find_included_files(request).digest == missing);
}

TEST_CASE("a name that a macro makes is left to the compiler, and nothing is stored", "[include]") {
    const ::TempDir directory, toolkit;
    write(directory / "cstdint", "the user's");
    IncludeRequest request = request_for("#define NAME <a.h>\n#include NAME\n#include <b.h>\n");
    request.headers = {{"a.h", "1"}};
    request.include_directories = {directory.path()};
    request.options = {"-I/elsewhere"};
    request.toolkit_directories = {{toolkit.path()}};
    const IncludedFiles files = find_included_files(request);
    CHECK(files.digest.empty());
    CHECK(files.include_directories == Names{directory.path(), toolkit.path()});
    CHECK(text_of(files, "a.h") == "1");
    // A header in memory would hide the user's file.
    CHECK(text_of(files, "cstdint") == "none");
    CHECK(text_of(files, "limits") != "none");
    CHECK(files.missing == Names{"b.h"});
    request = request_for("int a;\n");
    request.options = {"-DHAS=__has_include(<a.h>)"};
    CHECK(find_included_files(request).digest.empty());
    CHECK(text_of(find_included_files(request), "limits") != "none");
}

TEST_CASE("a name that a toolkit's header makes leads into the toolkit", "[include]") {
    const ::TempDir toolkit;
    write(toolkit / "thrust/x.h", "#include THE_OTHER\n");
    IncludeRequest request = request_for("#include <thrust/x.h>\n");
    request.toolkit_directories = {{toolkit.path()}};
    request.include_directories = {"/somewhere"};
    const IncludedFiles files = find_included_files(request);
    CHECK(!files.digest.empty());
    CHECK(files.include_directories == Names{toolkit.path()});
    CHECK(text_of(files, "thrust/x.h") == "#include THE_OTHER\n");
}

TEST_CASE("a header that depends on the time is passed on and not stored", "[include]") {
    IncludeRequest request = request_for("#include <a.h>\n");
    request.headers = {{"a.h", "const char* when = __DATE__;\n"}};
    const IncludedFiles files = find_included_files(request);
    CHECK(text_of(files, "a.h") == request.headers[0].text);
    CHECK(files.digest.empty());
}

TEST_CASE("the headers of the user's own are those in memory and in directories", "[include]") {
    const ::TempDir directory, toolkit;
    write(directory / "b.h", "2");
    write(toolkit / "cuda_c.h", "3");
    IncludeRequest request =
        request_for("#include <a.h>\n#include <b.h>\n#include <cuda_c.h>\n#include <climits>\n");
    request.headers = {{"a.h", "1"}};
    request.include_directories = {directory.path()};
    request.toolkit_directories = {{toolkit.path()}};
    const std::vector<UserText> texts = user_headers(find_included_files(request));
    REQUIRE(texts.size() == 2);
    CHECK((texts[0].label == "a.h" && texts[0].text == "1"));
    CHECK((texts[1].label == "b.h" && texts[1].text == "2"));
}
