// SPDX-License-Identifier: MIT
//
// fmt and standard streams write the types of kgen as to_text() does.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <iomanip>
#include <kgen/kgen.hpp>
#include <kgen/ostream.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;

namespace {

template <typename T>
concept Streams = requires(std::ostream& stream, const T& value) {
    stream << value;
};
// What converts to Dims is not written as a shape.
static_assert(Streams<IndexedArray> && !Streams<std::vector<int>>);

}  // namespace

TEST_CASE("fmt formats shapes, dtypes, devices and numbers", "[dtype]") {
    CHECK(fmt::format("{} {} {}", Dims{2, 3}, Dims{5}, Dims{}) == "(2, 3) (5,) ()");
    CHECK(fmt::format("{} {}", float32, bool_) == "float32 bool");
    CHECK(fmt::format("{} {}", Device::cuda(0), Device::host()) == "cuda:0 host");
    CHECK(fmt::format("{} {}", Scalar(5), Scalar(true)) == "5 true");
    CHECK(fmt::format("[{:>8}] [{:8}]", Dims{2, 3}, int8) == "[  (2, 3)] [int8    ]");
}

TEST_CASE("streams write arrays, shapes, dtypes, devices and numbers", "[dtype]") {
    const Array x = arange(3, int64, {.device = Device::host()});
    std::ostringstream stream;
    stream << x << x[1] << Dims{5} << float32 << Device::cuda(1) << Scalar(2.5);
    CHECK(stream.str() == "[0 1 2]1(5,)float32cuda:12.5");
    stream.str("");
    stream << std::setw(6) << Dims{};
    CHECK(stream.str() == "    ()");
}

TEST_CASE("no public header but ostream.hpp includes streams", "[dtype]") {
    static const std::regex streams("# *include <(kgen/ostream.hpp|[io]*stream|fmt/ostream.h)>");
    for (const auto& item : std::filesystem::directory_iterator(KGEN_SOURCE_DIR "/include/kgen")) {
        std::ifstream file(item.path());
        const std::string text(std::istreambuf_iterator<char>(file), {});
        CAPTURE(item.path().string());
        CHECK(std::regex_search(text, streams) == (item.path().filename() == "ostream.hpp"));
    }
}
