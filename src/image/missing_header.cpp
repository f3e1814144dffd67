// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <kgen/suggestion.hpp>
#include <optional>

#include "device/registry.hpp"
#include "image/include_search.hpp"
#include "image/included_files.hpp"
#include "source/stand_in_headers.hpp"
#include "text/include_scan.hpp"

namespace kgen {

namespace {

// A line of a log that reports a missing file.
struct MissingHeader {
    std::string name;
    std::string includer;  // the compiler's name for it
};

// Returns "x.h" for "x.h(38): ..." and "x.h:38:5: ...".
std::string_view file_of(std::string_view line) {
    const std::size_t end = line.find_first_of("(:");
    return end == std::string_view::npos ? std::string_view() : line.substr(0, end);
}

std::optional<MissingHeader> read_line(std::string_view line) {
    struct Form {
        std::string_view before, after;
    };
    // Texts before and after the name in the compilers' messages: two of NVRTC, then clang++'s and g++'s.
    static constexpr std::array<Form, 4> forms = {{{"error: cannot open source file \"", "\""},
                                                   {"error: could not open source file \"", "\""},
                                                   {"error: '", "' file not found"},
                                                   {"error: ", ": No such file or directory"}}};
    for (const Form& form : forms) {
        const std::size_t at = line.find(form.before);
        if (at == std::string_view::npos) continue;
        const std::size_t begin = at + form.before.size();
        const std::size_t end = line.find(form.after, begin);
        if (end == std::string_view::npos) continue;
        return MissingHeader{std::string(line.substr(begin, end - begin)),
                             std::string(file_of(line))};
    }
    return std::nullopt;
}

// Calls `take` with each line until it returns true.
template <typename Take>
void for_each_line(std::string_view log, Take take) {
    while (!log.empty()) {
        const std::size_t end = std::min(log.find('\n'), log.size());
        if (take(log.substr(0, end))) return;
        log.remove_prefix(std::min(end + 1, log.size()));
    }
}

bool is_of_toolkit(const IncludedFiles& files, std::string_view name) {
    return std::any_of(files.files.begin(), files.files.end(), [&](const IncludedFile& file) {
        return file.origin == HeaderOrigin::toolkit && file.name == name;
    });
}

// Standard headers that a program may try to include although they are not available.
constexpr std::string_view standard_headers =
    " any atomic barrier bit bitset cctype cerrno charconv chrono cinttypes compare "
    "complex complex.h concepts coroutine csignal cstdarg ctime ctype.h deque "
    "errno.h exception execution expected filesystem format forward_list fstream "
    "future inttypes.h ios iosfwd iostream istream latch linalg list locale map "
    "mdspan memory memory_resource mutex numbers optional ostream queue random "
    "ranges ratio regex semaphore set shared_mutex source_location span sstream "
    "stack stdbool.h stdexcept streambuf string string_view system_error thread "
    "time.h typeindex typeinfo unistd.h unordered_map unordered_set valarray "
    "variant vector version ";

bool is_standard(std::string_view name) {
    return standard_headers.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

bool is_of_cuda(std::string_view name) {
    static constexpr std::string_view starts[] = {"cub/",
                                                  "cuda/",
                                                  "thrust/",
                                                  "nv/",
                                                  "cooperative_groups",
                                                  "crt/",
                                                  "cuda_",
                                                  "cublas",
                                                  "cuComplex",
                                                  "cufft",
                                                  "curand",
                                                  "cusparse",
                                                  "device_",
                                                  "math_constants",
                                                  "mma.h",
                                                  "surface_",
                                                  "texture_",
                                                  "vector_types",
                                                  "vector_functions"};
    return std::any_of(std::begin(starts), std::end(starts), [&](std::string_view start) {
        return name.starts_with(start);
    });
}

// Advice for parts of the toolkit that NVRTC cannot compile.
std::string_view replacement_of(std::string_view name) {
    struct Row {
        std::string_view start, advice;
    };
    static constexpr Row rows[] = {
        {"cub/cub.cuh", "include only the part that you use, such as <cub/block/block_reduce.cuh>"},
        {"cub/device/",
         "functions of cub/device are for host code: use <cub/block/...> in device code"},
        {"thrust/complex.h", "use <cuda/std/complex>, which NVRTC compiles"},
        {"thrust/",
         "NVRTC compiles little of Thrust: use <cuda/std/...> and <cub/block/...> in device code"},
    };
    for (const Row& row : rows) {
        if (name.starts_with(row.start)) return row.advice;
    }
    return {};
}

std::string describe_search(const std::string& name,
                            const IncludeRequest& request,
                            const IncludeSearch& search) {
    std::vector<std::string> places;
    std::vector<std::string> in_memory;
    for (const Header& header : request.headers) in_memory.push_back("'" + header.name + "'");
    if (!in_memory.empty())
        places.push_back(fmt::format("the headers in memory ({})", fmt::join(in_memory, ", ")));
    for (const std::string& directory : search.user_directories())
        places.push_back("'" + directory + "'");
    places.emplace_back("kgen's own headers");
    for (const std::string& directory : search.toolkit_directories())
        places.push_back("'" + directory + "'");
    return fmt::format("header '{}' was not found: looked in {}", name, fmt::join(places, ", "));
}

// Returns the nearest existing name: of headers in memory, kgen's own headers, and files in the directory
// that the name leads to.
std::string nearest_header(const std::string& name,
                           const IncludeRequest& request,
                           const IncludeSearch& search) {
    std::vector<std::string_view> known;
    for (const Header& header : request.headers) known.push_back(header.name);
    for (const EmbeddedFile& own : stand_ins(request.device)) known.push_back(own.name);
    if (const std::string_view nearest = nearest_name(name, known); !nearest.empty())
        return std::string(nearest);
    const std::size_t folder_length = name.rfind('/') + 1;
    const std::string folder = name.substr(0, folder_length);
    std::vector<std::string> neighbours;
    const auto add_files = [&](const std::string& directory) {
        std::error_code failed;
        std::filesystem::directory_iterator files(directory + "/" + folder, failed);
        for (; !failed && files != std::filesystem::directory_iterator(); files.increment(failed))
            neighbours.push_back(files->path().filename().string());
    };
    for (const std::string& directory : search.user_directories()) add_files(directory);
    for (const std::string& directory : search.toolkit_directories()) add_files(directory);
    std::sort(neighbours.begin(), neighbours.end());
    const std::vector<std::string_view> valid(neighbours.begin(), neighbours.end());
    const std::string_view nearest = nearest_name(name.substr(folder_length), valid);
    return nearest.empty() ? std::string() : folder + std::string(nearest);
}

// Says what the user can do about the missing header.
std::string remedy_of(const std::string& name,
                      const IncludeRequest& request,
                      IncludeSearch& search) {
    constexpr std::string_view cccl = "cuda/std/";
    if (is_standard(name)) {
        const IncludeUse in_cccl = {IncludeForm::angled, std::string(cccl) + name, 0, 0};
        if (search.find(in_cccl, nullptr) != nullptr)
            return fmt::format("use <cuda/std/{}>, its part for device code", name);
        std::vector<std::string_view> own;
        for (const EmbeddedFile& header : stand_ins(request.device)) {
            if (header.name.find_first_of("/.") == std::string_view::npos)
                own.push_back(header.name);
        }
        return fmt::format("kgen has these standard headers: {}", fmt::join(own, ", "));
    }
    const std::string nearest = nearest_header(name, request, search);
    if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
    if (name.starts_with(cccl)) {
        const std::string plain = name.substr(cccl.size());
        if (find_stand_in(plain, request.device) != nullptr) return fmt::format("use <{}>", plain);
    }
    if (!is_of_cuda(name))
        return "name its directory with the option -I, or give its text as a header in memory";
    if (traits(request.device).language != SourceLanguage::cuda)
        return "it belongs to CUDA; the host device does not have CUDA's headers";
    return "it comes with the CUDA toolkit (packages cuda-cudart-dev and cuda-cccl of NVIDIA's "
           "repository); set CUDA_PATH to a toolkit that has it";
}

// Explains why a header of the toolkit does not compile: a text includes a part of the toolkit that is not
// for device code, or the header includes a file that does not exist. Otherwise returns an empty string,
// because the user's own template arguments may have caused the error.
std::string explain_toolkit(const std::string& header,
                            const IncludeRequest& request,
                            const std::optional<MissingHeader>& missing) {
    for (const UserText& text : request.texts) {
        for (const IncludeUse& use : find_includes(text.text)) {
            const std::string_view advice = replacement_of(use.name);
            if (!advice.empty())
                return fmt::format("header '{}' is not for device code\n{}", use.name, advice);
        }
    }
    if (!missing) return {};
    return fmt::format(
        "header '{}' of the CUDA toolkit needs '{}', which device code does not have",
        header,
        missing->name);
}

}  // namespace

std::string explain_missing_header(std::string_view log,
                                   const IncludeRequest& request,
                                   const IncludedFiles& files) {
    std::optional<MissingHeader> missing;
    std::string failing;  // the file of the first error
    for_each_line(log, [&](std::string_view line) {
        if (line.find("error") == std::string_view::npos) return false;
        if (failing.empty()) failing = file_of(line);
        missing = read_line(line);
        return missing.has_value();
    });
    const std::string& where = missing ? missing->includer : failing;
    if (is_of_toolkit(files, where)) return explain_toolkit(where, request, missing);
    if (!missing) return {};
    IncludeSearch search(request, toolkit_directories(request));
    return describe_search(missing->name, request, search) + "\n" +
           remedy_of(missing->name, request, search);
}

}  // namespace kgen
