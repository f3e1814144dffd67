// SPDX-License-Identifier: MIT
//
// Mistakes in a command line, and outputs of unusual kinds: what a new user of the command meets.
#include <fcntl.h>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <fstream>
#include <kgen/message_spelling.hpp>
#include <kgen/npy.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/command.hpp"
#include "text/advice.hpp"

using namespace kgen;

namespace {

const NpyOptions load_on_host{.device = Device::host()};

class Inputs : public Command {
public:
    Inputs() {
        const ArrayOptions on_host{.device = Device::host()};
        save_npy(path("x.npy"), arange(3, float32, on_host));
        save_npy(path("i.npy"), arange(3, int32, on_host));
        std::ofstream(path("k.cu")) << "extern \"C\" __global__ void k(float* x, int n) {\n"
                                       "    extern __shared__ float s[];\n"
                                       "    s[threadIdx.x + 100] = 1;\n"
                                       "    if (threadIdx.x < n) x[threadIdx.x] = s[0];\n"
                                       "}\n";
    }
};

}  // namespace

TEST_CASE("a string that was forgotten is named if an argument took its place") {
    const Inputs kgen;
    const std::pair<const char*, const char*> cases[] = {
        {"run --elementwise 'T x' 'T z' x=x.npy",
         "--elementwise: the BODY is missing: 'x=x.npy' is an argument of the kernel; give INPUTS "
         "OUTPUTS BODY"},
        {"run --elementwise 'T x' x=x.npy y=2",
         "--elementwise: the OUTPUTS is missing: 'x=x.npy' is an argument of the kernel; give "
         "INPUTS OUTPUTS BODY"},
        {"run --elementwise 'T x, T y' 'T z' y=2 x=x.npy",
         "--elementwise: the BODY is missing: 'y=2' is an argument of the kernel; give INPUTS "
         "OUTPUTS BODY"},
        {"explain --elementwise 'T x' 'T z' x=float32[5]",
         "--elementwise: the BODY is missing: 'x=float32[5]' is an argument of the kernel; give "
         "INPUTS OUTPUTS BODY"},
        {"run --reduce 'T x' 'T y' x 'a + b' 'y = a' x=x.npy",
         "--reduce: the IDENTITY is missing: 'x=x.npy' is an argument of the kernel; give INPUTS "
         "OUTPUTS MAP REDUCE POST_MAP IDENTITY"},
        {"run relu --name x=x.npy",
         "--name: the NAME is missing: 'x=x.npy' is an argument of the kernel; give --name NAME"},
        {"run relu --preamble x=[1,2]",
         "--preamble: the CODE is missing: 'x=[1,2]' is an argument of the kernel; give --preamble "
         "CODE"},
        {"run --template x=x.npy",
         "--template: the FILE.json is missing: 'x=x.npy' is an argument of the kernel; give "
         "--template FILE.json"},
        {"run --raw k.cu --kernel x=x.npy",
         "--kernel: the NAME is missing: 'x=x.npy' is an argument of the kernel; give --kernel "
         "NAME"}};
    for (const auto& [line, message] : cases) {
        INFO(line);
        const CommandResult result = kgen.run_line(line);
        CHECK(result.exit_status == 2);
        CHECK(result.messages == "kgen: " + std::string(message) + "\n");
    }
    // Code may look like an argument.
    CHECK(kgen.run_line("run --elementwise 'T x' 'T z' z=5 x=x.npy").output == "[5. 5. 5.]\n");
}

TEST_CASE("advice to a user of the command names the command's options") {
    const Inputs kgen;
    struct Case {
        const char* line;
        int status;
        const char* message;
    };
    const Case cases[] = {
        {"run --elementwise 'raw T x' 'T z' 'z = x[i]' x=x.npy",
         2,
         "kernel 'kernel': all array arguments are raw, so the loop size is unknown; give --size "
         "N"},
        {"run add x=1 y=2 --block-size 3000",
         2,
         "kernel 'add': --block-size is 3000, expected 1 to 1024"},
        {"run add x=x.npy y=1 --size 3",
         2,
         "kernel 'add': --size is only for calls in which every array is raw, but argument 1 ('x') "
         "is not"},
        {"run --elementwise 'T x, T y' 'T z' 'z = x' x=x.npy y=i.npy",
         2,
         "kernel 'kernel': T is float32 from argument 1 ('x') but int32 from argument 2 ('y'); "
         "convert a file with --dtype NAME=DTYPE"},
        {"run --elementwise 'float64 x' 'T z' 'z = x' x=x.npy", 2, nullptr},
        {"run --reduce 'T x' 'T y' x 'max(a, b)' 'y = a' '' x=[]",
         2,
         "kernel 'kernel': cannot reduce zero elements without an identity: shape (0,); give the "
         "kernel an identity"},
        {"run sum x=x.npy --block-size 64",
         2,
         "kernel 'sum': --block-size is for elementwise kernels; a reduction chooses its own block "
         "size"},
        {"run --raw k.cu --kernel k --grid 1 --block 2 --shared-bytes 8 x=x.npy n=2", 1, nullptr}};
    for (const Case& row : cases) {
        INFO(row.line);
        const CommandResult result = kgen.run_line(row.line);
        CHECK(result.exit_status == row.status);
        if (row.message != nullptr)
            CHECK(result.messages == "kgen: " + std::string(row.message) + "\n");
        for (const char* spelling : {"size(n)",
                                     "astype",
                                     "out(",
                                     "block_size",
                                     "NpyOptions",
                                     "RawModuleOptions",
                                     ".shared_bytes",
                                     "x.data()"}) {
            CHECK(result.messages.find(spelling) == std::string::npos);
        }
    }
}

TEST_CASE("each advice has a spelling for C++ and one for the command") {
    for (const MessageSpelling spelling : {MessageSpelling::command, MessageSpelling::cpp}) {
        set_message_spelling(spelling);
        for (std::size_t k = 0; k < static_cast<std::size_t>(Advice::none); ++k) {
            const std::string text = advise(static_cast<Advice>(k), "first", "second");
            CHECK(text != "");
            CHECK(text.find("{0}") == std::string::npos);
        }
    }
    CHECK(advise(Advice::pass_size) == "pass size(n)");
    CHECK(advise(Advice::name_raw_target) ==
          "name another one with '.arch', as in {.arch = \"sm_90a\"}");
}

TEST_CASE("a launch that cannot be is a mistake in the command line") {
    const Inputs kgen;
    const std::pair<const char*, const char*> cases[] = {
        {"--grid 1 --block 2048",
         "block (2048, 1, 1): 2048 threads along x, host has at most 1024"},
        {"--grid 1 --block 32,64", "2048 threads in a block (32, 64, 1), host has at most 1024"},
        {"--grid 1 --block 0", "block (0, 1, 1): an extent is 0, expected at least 1"},
        {"--grid 1,-1 --block 1", "grid (1, -1, 1): an extent is negative"},
        {"--grid 1 --block 1 --shared-bytes -1", "-1 bytes of shared memory: expected 0 or more"},
        {"--grid 1 --block 1 --shared-bytes 300000",
         "300000 bytes of shared memory, host has at most 232448"}};
    for (const auto& [options, message] : cases) {
        INFO(options);
        const CommandResult result =
            kgen.run_line("run --raw k.cu --kernel k x=x.npy n=1 " + std::string(options));
        CHECK(result.messages == "kgen: kernel 'k': " + std::string(message) + "\n");
        CHECK(result.exit_status == 2);
    }
}

TEST_CASE("lists on the command line are arrays") {
    const Inputs kgen;
    CHECK(kgen.run_line("run add x=[1,2,3] y=10").output == "[11 12 13]\n");
    CHECK(kgen.run_line("run add x=[[1.5],[2]] y=[1.0,2]").output == "[[2.5 3.5]\n [3.  4. ]]\n");
    CHECK(kgen.run_line("run sum x=[[1,2],[3,4]] --axis 0").output == "[4 6]\n");
    const CommandResult described = kgen.run_line("explain add x=[1.0,2] y=[1.5,2]");
    CHECK(described.exit_status == 0);
    const CommandResult ragged = kgen.run_line("run add x=[[1,2],[3]] y=1");
    CHECK(ragged.exit_status == 2);
    CHECK(ragged.messages ==
          "kgen: argument 'x=[[1,2],[3]]': the lists along axis 1 have 2 and 1 elements, expected "
          "equal numbers\n");
}

TEST_CASE("wrong settings are warned of once, and the default is used") {
    const std::vector<std::array<const char*, 4>> settings = {
        {"KGEN_COMPILE", "nevr", "auto or never", "auto"},
        {"KGEN_HOST_THREADS", "two", "a whole number from 1 to 1024", nullptr},
        {"KGEN_COMPILE_TIMEOUT", "soon", "a whole number of seconds from 1 to 86400", "600"},
        {"KGEN_COMPILE_MEMORY",
         "1",
         "a number of bytes such as 512M or 2 GiB, at least 64M, or unlimited",
         "2 GiB"},
        {"KGEN_LOG", "loud", "trace, debug, info, warn, error, critical or off", "warn"}};
    for (const auto& [name, value, expected, used] : settings) {
        Command kgen;
        kgen.environment[name] = value;
        const CommandResult result = kgen.run_line("run add x=[1,2] y=1");
        const std::string start = std::string("kgen: warning: ") + name + " is '" + value +
                                  "'; expected " + expected + "; the default ";
        INFO(result.messages);
        CHECK(result.exit_status == 0);
        CHECK(result.output == "[2 3]\n");
        if (used != nullptr) {
            CHECK(result.messages == start + used + " is used\n");
        } else {
            CHECK(result.messages.starts_with(start));
        }
    }
    // Also if the kernel is found and nothing is compiled.
    Command kgen;
    CHECK(kgen.run_line("run add x=[1,2] y=1").messages == "");
    kgen.environment["KGEN_COMPILE"] = "nevr";
    CHECK(kgen.run_line("run add x=[1,2] y=1").messages ==
          "kgen: warning: KGEN_COMPILE is 'nevr'; expected auto or never; the default auto is "
          "used\n");
}

TEST_CASE("an output to stdout goes where stdout stands") {
    const Inputs kgen;
    std::ofstream(kgen.path("log")) << "before\n";
    const CommandResult result = kgen.run_to(
        [&] { ::dup2(::open(kgen.path("log").c_str(), O_WRONLY | O_APPEND), STDOUT_FILENO); },
        {"run", "add", "x=x.npy", "y=1", "--out", "z=/dev/stdout"});
    CHECK(result.messages == "");
    CHECK(result.exit_status == 0);
    CHECK(kgen.run_line("run add x=x.npy y=1 --out z=z.npy").exit_status == 0);
    CHECK(Command::read(kgen.path("log")) == "before\n" + Command::read(kgen.path("z.npy")));
    const CommandResult bench = kgen.run_to(
        [&] { ::dup2(::open(kgen.path("log").c_str(), O_WRONLY | O_APPEND), STDOUT_FILENO); },
        {"bench", "--quick", "add_u8_2^28", "--output", "/dev/stdout"});
    CHECK(bench.exit_status == 0);
    const std::string log = Command::read(kgen.path("log"));
    CHECK(log.starts_with("before\n\x93NUMPY"));
    CHECK(log.find("\"case\": \"add_u8_2^28\"") != std::string::npos);
    const CommandResult full =
        kgen.run({"run", "add", "x=x.npy", "y=1", "--out", "z=/dev/stdout"}, "/dev/full");
    CHECK(full.messages == "kgen: /dev/stdout: cannot be written: No space left on device\n");
    CHECK(full.exit_status == 3);
    const CommandResult closed =
        kgen.run_with_closed_pipe({"run", "add", "x=x.npy", "y=1", "--out", "z=/dev/stdout"});
    CHECK(closed.exit_status == 128 + SIGPIPE);
    CHECK(closed.messages == "");
}

TEST_CASE("a small limit of file sizes is an error of the command") {
    const Inputs kgen;
    const auto limited = [&](const std::vector<std::string>& arguments) {
        return kgen.run_to(
            [&] {
                ::dup2(::open(kgen.path("stdout").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600),
                       STDOUT_FILENO);
                const ::rlimit limit = {1024, 1024};
                ::setrlimit(RLIMIT_FSIZE, &limit);
            },
            arguments);
    };
    const CommandResult list = limited({"list"});
    CHECK(list.exit_status == 3);
    CHECK(list.messages == "kgen: stdout: cannot be written: File too large\n");
    CHECK(limited({"cache", "path"}).exit_status == 0);
}
