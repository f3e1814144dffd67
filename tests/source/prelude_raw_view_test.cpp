// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/prelude_program.hpp"

namespace {

// The documented layout, declared independently.
template <int rank>
struct View {
    void* data;
    std::ptrdiff_t size;
    std::ptrdiff_t shape[rank];
    std::ptrdiff_t strides[rank];
};

const char* const snippet = R"(
#define VIEWS(rank, contiguous, Index, name) \
    KGEN_EXPORT float name(kgen_raw_view<const float, rank, contiguous, Index> x, long long i) { return x[i]; } \
    KGEN_EXPORT float name##_at(kgen_raw_view<const float, rank, contiguous, Index> x, long long i) { \
        kgen_indexer<rank, Index> _ind(i, x.size(), x.shape()); \
        return x[_ind.get()]; \
    }
VIEWS(3, false, int, narrow) VIEWS(3, false, long long, wide) VIEWS(3, true, int, dense)
VIEWS(1, false, int, line)
VIEWS(0, true, int, point)
KGEN_EXPORT float by_list(kgen_raw_view<float, 2, false, int> x, int i, long long j) {
    int indices[2] = {i, (int)j};
    x[{i, j}] += 1;
    return x[indices];
}
KGEN_EXPORT long long facts(kgen_raw_view<short, 2, false, int> x) {
    return x.size() * 1000000 + x.shape()[1] * 1000 + x.strides()[0];
}
KGEN_EXPORT long long layout() {
    typedef kgen_raw_view<double, 3, false, int> V;
    return (long long)sizeof(V) + 1000 * (long long)__builtin_offsetof(V, shape) +
           1000000 * (long long)__builtin_offsetof(V, strides) + 1000000000 * (long long)sizeof(kgen_raw_view<int, 0, true, int>);
}
)";

}  // namespace

TEST_CASE("a raw view is its data pointer, size, shape and strides in this order", "[prelude]") {
    for (const std::string& compiler : prelude::host_compilers()) {
        const prelude::HostProgram program(
            compiler,
            prelude::sections({"base_host", "raw_view"}) + prelude::export_macro + snippet);
        REQUIRE(program.refusal() == "");
        CHECK(program.function<long long()>("layout")() ==
              64 + 16 * 1000 + 40 * 1000000 + 32LL * 1000000000);
    }
}

TEST_CASE("raw views find elements by C order and by indices, whatever the strides", "[prelude]") {
    std::vector<float> memory(1000);
    for (std::size_t n = 0; n < memory.size(); ++n) memory[n] = static_cast<float>(n);
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        const prelude::HostProgram program(
            compiler,
            prelude::sections({"base_host", "raw_view"}) + prelude::export_macro + snippet);
        REQUIRE(program.refusal() == "");
        struct Case {
            std::ptrdiff_t start, strides[3];  // in elements
        };
        for (const Case& c : {Case{0, {20, 5, 1}},
                              Case{0, {1, 3, 12}},
                              Case{59, {-20, -5, -1}},
                              Case{500, {40, -8, 2}},
                              Case{7, {0, 5, 0}}}) {
            const View<3> view{memory.data() + c.start,
                               60,
                               {3, 4, 5},
                               {c.strides[0] * 4, c.strides[1] * 4, c.strides[2] * 4}};
            std::ptrdiff_t n = 0;
            for (std::ptrdiff_t i = 0; i < 3; ++i) {
                for (std::ptrdiff_t j = 0; j < 4; ++j) {
                    for (std::ptrdiff_t k = 0; k < 5; ++k, ++n) {
                        const auto expected = static_cast<float>(
                            c.start + i * c.strides[0] + j * c.strides[1] + k * c.strides[2]);
                        for (const char* name : {"narrow", "wide", "narrow_at", "wide_at"}) {
                            INFO(name << " " << n);
                            CHECK(program.function<float(View<3>, long long)>(name)(view, n) ==
                                  expected);
                        }
                    }
                }
            }
        }
        const View<3> dense{memory.data(), 60, {3, 4, 5}, {80, 20, 4}};
        CHECK(program.function<float(View<3>, long long)>("dense")(dense, 42) == 42);
        CHECK(program.function<float(View<3>, long long)>("dense_at")(dense, 42) == 42);
        const View<1> line{memory.data() + 9, 10, {10}, {-4}};
        CHECK(program.function<float(View<1>, long long)>("line")(line, 3) == 6);
        CHECK(program.function<float(View<1>, long long)>("line_at")(line, 3) == 6);
        const View<1> point{memory.data() + 5, 1, {0}, {0}};
        CHECK(program.function<float(View<1>, long long)>("point")(point, 0) == 5);
        CHECK(program.function<float(View<1>, long long)>("point_at")(point, 0) == 5);
        std::vector<float> copy = memory;
        const View<2> square{copy.data(), 12, {3, 4}, {16, 4}};
        CHECK(program.function<float(View<2>, int, long long)>("by_list")(square, 2, 1) == 10);
        CHECK(copy[9] == 10);
        CHECK(program.function<long long(View<2>)>("facts")(square) == 12004016);
    }
}

TEST_CASE("views and indexers compile for every GPU", "[prelude]") {
    const prelude::Nvrtc nvrtc;
    if (!nvrtc) return;
    for (const char* target : {"sm_75", "sm_90", "compute_90"}) {
        CHECK(nvrtc.refusal(prelude::sections({"base_cuda", "raw_view"}) +
                                "#define KGEN_EXPORT extern \"C\" __device__\n"
                                "#define __builtin_offsetof(V, m) 0\n" +
                                snippet,
                            target) == "");
    }
}
