// SPDX-License-Identifier: MIT
//
// The names of kernels and variables: expressions, symbols, demangled names and names in a source.
#include "program/raw_names.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;

namespace {

// The symbols that NVRTC 13.0 gives to: template <class T> __global__ void axpby(T*, T); __global__ void
// saxpy(float, bool, short, double*, U); ns::k(int*); k(int*); k(float*); mode<Mode::b, 4>(int*); a kernel in
// an anonymous namespace; extern "C" plain(int*).
const std::vector<std::string> symbols = {"_Z5axpbyIfEvPT_S0_",
                                          "_Z5saxpyfbsPd1U",
                                          "_ZN2ns1kEPi",
                                          "_Z1kPi",
                                          "_Z1kPf",
                                          "_Z4modeIL4Mode1ELi4EEvPi",
                                          "_ZN36_GLOBAL__N__00000000_4_x_cu_2192607a4anonEPi",
                                          "plain"};

std::vector<std::string> found(std::string_view name,
                               const std::vector<LoweredName>& lowered = {}) {
    const std::vector<ProgramName> names = program_names(symbols, lowered);
    std::vector<std::string> result;
    for (const ProgramName* each : find_name(name, names)) result.push_back(each->symbol);
    return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("blanks in a name mean nothing but between words") {
    CHECK(normalized_name(" ns :: k < unsigned \t int,4 > ") == "ns::k<unsigned int,4>");
    CHECK(normalized_name("k<float>") == "k<float>");
    CHECK(normalized_name(" \n") == "");
    CHECK(normalized_name("(void (*)(float *)) k") == "(void(*)(float*))k");
    CHECK(is_template_name("k<float>"));
    CHECK_FALSE(is_template_name("ns::k"));
}

TEST_CASE("a kernel is found by its expression, symbol, declaration or qualified name") {
    CHECK(found("saxpy") == Names{"_Z5saxpyfbsPd1U"});
    CHECK(found("plain") == Names{"plain"});
    CHECK(found("ns::k") == Names{"_ZN2ns1kEPi"});
    CHECK(found("axpby<float>") == Names{"_Z5axpbyIfEvPT_S0_"});
    CHECK(found("axpby < float >") == Names{"_Z5axpbyIfEvPT_S0_"});
    CHECK(found("mode<(Mode)1, 4>") == Names{"_Z4modeIL4Mode1ELi4EEvPi"});
    CHECK(found("mode<Mode::b, 4>") == Names{});  // found only by its expression
    CHECK(found("mode<Mode::b,4>", {{"mode<Mode::b, 4>", "_Z4modeIL4Mode1ELi4EEvPi"}}) ==
          Names{"_Z4modeIL4Mode1ELi4EEvPi"});
    CHECK(found("(anonymous namespace)::anon") ==
          Names{"_ZN36_GLOBAL__N__00000000_4_x_cu_2192607a4anonEPi"});
    CHECK(found("_Z1kPf") == Names{"_Z1kPf"});
    CHECK(found("k(int*)") == Names{"_Z1kPi"});
    CHECK(found("k") == Names{"_Z1kPf", "_Z1kPi"});
    CHECK(found("k", {{"k", "_Z1kPf"}}) == Names{"_Z1kPf"});
    CHECK(found("kk") == Names{});
    CHECK(found("") == Names{});
}

TEST_CASE("names are shown as a C++ programmer writes them") {
    const std::vector<ProgramName> names =
        program_names(symbols, std::vector<LoweredName>{{"axpby< float >", "_Z5axpbyIfEvPT_S0_"}});
    Names shown;
    for (const ProgramName& each : names) shown.push_back(each.shown());
    CHECK(shown == Names{"(anonymous namespace)::anon",
                         "axpby< float >",
                         "k",
                         "k",
                         "mode<(Mode)1, 4>",
                         "ns::k",
                         "plain",
                         "saxpy"});
    const std::vector<ProgramName> variables = program_names(
        {"_ZN2ns5scaleE"}, std::vector<LoweredName>{{"& ns::scale", "_ZN2ns5scaleE"}});
    CHECK(variables[0].shown() == "ns::scale");
    CHECK(variables[0].declaration == "ns::scale");
    CHECK(find_name("&ns::scale", variables).size() == 1);
}

TEST_CASE("a symbol tells the types of its parameters unless it is extern \"C\"") {
    CHECK(parameter_types("_Z5saxpyfbsPd1U") == Names{"float", "bool", "short", "double*", "U"});
    CHECK(parameter_types("_Z5axpbyIfEvPT_S0_") == Names{"float*", "float"});
    CHECK(parameter_types("_Z1kPFviE4PairIiPKcE") ==
          Names{"void(*)(int)", "Pair<int,char const*>"});
    CHECK(parameter_types("_Z1kv") == Names{});
    CHECK(parameter_types("plain") == Names{});
    CHECK(parameter_types("_ZN2ns5scaleE") == Names{});
}

TEST_CASE("the kernels that stand in a text are found") {
    CHECK(declared_kernels(R"cu(
        // __global__ void comment(int);
        const char* text = "__global__ void literal(int)";
        template <class T, int n> __global__ void axpby(T* x) {}
        __global__ void __launch_bounds__(256, (2)) bounded(int* x) {}
        extern "C" __global__ __launch_bounds__(64) void plain() {}
        static __global__ void axpby(double* x);
        namespace ns {
        void __global__ turned(int) {
            f(3);
        } }
        __device__ int f(int);
    )cu") == Names{"axpby", "bounded", "plain", "turned"});
    CHECK(declared_kernels("") == Names{});
    CHECK(declared_kernels("__global__") == Names{});
    CHECK(declared_kernels("__global__ void") == Names{});
    CHECK(declared_kernels("__global__ void __launch_bounds__(") == Names{});
}

TEST_CASE("lists of names are short and near names are offered") {
    CHECK(list_names({}) == "none");
    CHECK(list_names({"a", "b"}) == "'a', 'b'");
    CHECK(list_names({"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}) ==
          "'1', '2', '3', '4', '5', '6', '7', '8' and 2 more");
    CHECK(suggest_name("saxpi", {"scale", "saxpy"}) == "\ndid you mean 'saxpy'?");
    CHECK(suggest_name("nothing", {"scale", "saxpy"}).empty());
}
