// SPDX-License-Identifier: MIT
//
// Completion of command lines, as kgen computes it and as bash, zsh and fish show it.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <kgen/kgen.hpp>

#include "support/command.hpp"
#include "support/terminal.hpp"

using namespace kgen;
namespace fs = std::filesystem;

namespace {

// A folder with files to complete, and a folder bin with the command.
struct Scene {
    Command kgen;

    Scene() {
        const Array x = zeros({2}, float32, {.device = Device::host()});
        save_npy(kgen.path("first.npy"), x);
        save_npz(kgen.path("model.npz"), {{"bias", x}, {"weights", x}});
        std::ofstream(kgen.path("notes.txt")) << "text";
        fs::create_directories(kgen.path("data/deep"));
        save_npy(kgen.path("data/my file.npy"), x);
        fs::create_directory(kgen.path("bin"));
        fs::create_symlink(KGEN_COMMAND, kgen.path("bin/kgen"));
    }

    std::string folder() const { return fs::path(kgen.path("bin")).parent_path(); }
    std::map<std::string, std::string> environment() const {
        return {{"HOME", folder()},
                {"ZDOTDIR", folder()},
                {"TERM", "vt100"},
                {"KGEN_DEVICE", "host"},
                {"PATH", kgen.path("bin") + ":" + std::getenv("PATH")}};
    }
    // Returns the candidates for the last word, separated by spaces.
    std::string candidates(const std::vector<std::string>& typed) const {
        const CommandResult result = kgen.run(words({"__complete"}, typed));
        CHECK(result.exit_status == 0);
        CHECK(result.messages == "");
        std::istringstream lines(result.output);
        std::string text;
        for (std::string line; std::getline(lines, line);)
            text += (text.empty() ? "" : " ") + line.substr(0, line.find('\t'));
        return text;
    }
};

struct Typed {
    const char* before;
    const char* after;
};
const std::vector<Typed> typed_lines = {
    {"kgen expl", "kgen explain "},
    {"kgen cache pr", "kgen cache prune "},
    {"kgen run --keepd", "kgen run --keepdims "},
    {"kgen cache list --sort n", "kgen cache list --sort name "},
    {"kgen list --kind=red", "kgen list --kind=reduction "},
    {"kgen run logsum", "kgen run logsumexp "},
    {"kgen run add x=fi", "kgen run add x=first.npy "},
    {"kgen run add x=da", "kgen run add x=data/"},
    {"kgen run add x=first.npy y=model.npz:w", "kgen run add x=first.npy y=model.npz:weights "},
    {"kgen run --elementwise 'T alpha' 'T z' 'z = alpha' al",
     "kgen run --elementwise 'T alpha' 'T z' 'z = alpha' alpha="},
    {"kgen run add x=data/m", "kgen run add x=data/my\\ file.npy "},
    {"kgen run add --dtype x=bf", "kgen run add --dtype x=bfloat16 "},
    {"kgen completion fi", "kgen completion fish "}};

// Types each line and TAB in the shell, whose key ^G appends its line to the file "lines".
void check_lines(Terminal& shell, const Scene& scene) {
    const std::string file = scene.kgen.path("lines");
    REQUIRE(shell.wait_until([&] { return shell.shown().find("ready> ") != std::string::npos; }));
    std::string expected;
    for (const Typed& line : typed_lines) {
        INFO(line.before << "\n" << shell.shown());
        shell.type(std::string(line.before) + "\t\a");
        expected += std::string(line.after) + "|\n";
        CHECK(shell.wait_until([&] { return Command::read(file).size() >= expected.size(); }));
        REQUIRE(Command::read(file) == expected);
        shell.type("\x15");  // ^U removes the line
    }
}

std::string output_of(const Scene& scene, const std::string& command) {
    std::string line = "cd '" + scene.folder() + "' && exec 2>&1 && ";
    for (const auto& [name, value] : scene.environment()) line += name + "='" + value + "' ";
    std::FILE* pipe = ::popen((line + command).c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    char part[4096];
    for (std::size_t count = 0; (count = std::fread(part, 1, sizeof part, pipe)) > 0;)
        text.append(part, count);
    text += "status " + std::to_string(::pclose(pipe));
    return text;
}

bool is_missing(const char* program) {
    if (!find_program(program).empty()) return false;
    WARN("SKIPPED: " << program << " was not found");
    return true;
}

}  // namespace

TEST_CASE("completion offers the commands, options and values of the command line") {
    const Scene scene;
    CHECK(scene.candidates({"ca"}) == "cache");
    CHECK(scene.candidates({"cache", ""}) ==
          "clear export import inspect list path prune stats verify");
    CHECK(scene.candidates({"paint", ""}) == "");
    CHECK(scene.candidates({"cache", "list", "--"}) == "--device --dir --help --json --sort");
    CHECK(scene.candidates({"compile", "-"}) ==
          "--all --arch --embed --help --jobs --json --output --ptx --types -h -j");
    CHECK(scene.candidates({"cache", "list", "--sort", ""}) == "lru name size");
    CHECK(scene.candidates({"cache", "list", "--sort=l"}) == "--sort=lru");
    CHECK(scene.candidates({"run", "--accuracy", ""}) == "compensated plain");
    CHECK(scene.candidates({"run", "--device", ""}) == "cuda host");
    CHECK(scene.candidates({"run", "--devices", ""}) == "all cuda host");
    CHECK(scene.candidates({"run", "--devices", "host,"}) == "host,cuda host,host");
    CHECK(scene.candidates({"run", "--size", ""}) == "");
    CHECK(scene.candidates({"bench", "red_full_f"}) ==
          "red_full_f16_2^28 red_full_f32_2^28 red_full_f64_2^27");
    CHECK(scene.candidates({"bench", "joins", "perm"}) == "permute5d_f32 permute6d_f32 permuted");
    CHECK(scene.candidates({"run", "add", "--name", ""}) == "");
    CHECK(scene.candidates({"compile", "--types", "T=float32,float6"}) == "T=float32,float64");
    CHECK(scene.candidates({"compile", "--types", "T"}) == "");
    CHECK(scene.candidates({"compile", "l2n"}) == "l2norm");
    CHECK(scene.candidates({"show", "l1n"}) == "l1norm");
    CHECK(scene.candidates({"run", "--keepdims", "l1n"}) == "l1norm");
    CHECK(scene.candidates({"compile", "-j", "2", "--ptx", "--all", "l1n"}) == "l1norm");
    CHECK(scene.candidates({"show", "l1norm", "l1n"}) == "");
    CHECK(scene.kgen.run({"__complete", "show", "l2n"}).output ==
          "l2norm\tthe square root of the sum of squares\n");
    CHECK(scene.kgen.run({"__complete", "cache", "list", "--so"}).output ==
          "--sort\tlru (last used first), size or name\n");
    CHECK(scene.candidates({}) == scene.candidates({""}));
}

TEST_CASE("completion offers the kernel's parameters, and files where a value may be one") {
    const Scene scene;
    CHECK(scene.candidates({"run", "add", ""}) == "x= y= z=");
    CHECK(scene.candidates({"run", "add", "--out", "z"}) == "z=");
    CHECK(scene.candidates({"run", "--elementwise", "T a, raw T b", "T c", "c = a", ""}) ==
          "a= b= c=");
    CHECK(scene.candidates({"run", "--elementwise", "'T a'", "'T c'", "'c = a'", ""}) == "a= c=");
    CHECK(scene.candidates({"run", "--elementwise", "T a", ""}) == "");
    CHECK(scene.candidates({"run", "ad"}) == "add");
    CHECK(scene.candidates({"run", "nothing", ""}) == "");
    CHECK(scene.candidates({"run", "add", "x="}) == "x=bin/ x=data/ x=first.npy x=model.npz");
    CHECK(scene.candidates({"run", "add", "x=data/"}) == "x=data/deep/ x=data/my file.npy");
    CHECK(scene.candidates({"run", "add", "x=~/fi"}) == "x=~/first.npy");
    CHECK(scene.candidates({"run", "add", "x=model.npz:"}) ==
          "x=model.npz:bias x=model.npz:weights");
    CHECK(scene.candidates({"run", "add", "x=none.npz:"}) == "");
    CHECK(scene.candidates({"run", "--raw", "n"}) == "notes.txt");
    CHECK(scene.candidates({"run", "--dtype", "x=c"}) == "x=complex128 x=complex64");
    CHECK(scene.candidates({"cache", "list", "--dir", "d"}) == "data/");
    CHECK(scene.candidates({"run", "--template", ""}) == "bin/ data/");
}

TEST_CASE("bash completes command lines of kgen") {
    if (is_missing("bash")) return;
    const Scene scene;
    std::ofstream(scene.kgen.path("rc"))
        << "PS1='ready> '\nbind 'set bell-style none'\n"
        << "source <(kgen completion bash)\n"
        << "show() { printf '%s|\\n' \"$READLINE_LINE\" >> lines; }\n"
        << "bind -x '\"\\C-g\": show'\n";
    Terminal shell(
        {"bash", "--noprofile", "--rcfile", "rc", "-i"}, scene.folder(), scene.environment());
    check_lines(shell, scene);
}

TEST_CASE("zsh completes command lines of kgen") {
    if (is_missing("zsh")) return;
    const Scene scene;
    // The script as an installed function, and as a sourced file.
    for (const std::string load :
         {"fpath=($PWD/functions $fpath)\nautoload -Uz compinit\ncompinit -u -D\n",
          "autoload -Uz compinit\ncompinit -u -D\n"
          "source <(kgen completion zsh)\n"}) {
        fs::create_directories(scene.kgen.path("functions"));
        fs::remove(scene.kgen.path("lines"));
        std::ofstream(scene.kgen.path("functions/_kgen"))
            << scene.kgen.run({"completion", "zsh"}).output;
        std::ofstream(scene.kgen.path(".zshrc"))
            << load << "PS1='ready> '\nunsetopt beep\n"
            << "show() { print -r -- \"$BUFFER|\" >> lines }\nzle -N show\nbindkey '^G' show\n"
            << "bindkey -e '^U' kill-whole-line\n";
        Terminal shell({"zsh", "-d", "-i"}, scene.folder(), scene.environment());
        check_lines(shell, scene);
    }
}

TEST_CASE("fish completes command lines of kgen") {
    if (is_missing("fish")) return;
    const Scene scene;
    for (const Typed& line : typed_lines) {
        const std::string before = line.before;
        std::ofstream(scene.kgen.path("complete.fish"))
            << "kgen completion fish | source\ncomplete -C \"" << before << "\"\n";
        const std::string typed_word = before.substr(before.rfind(' ') + 1);
        std::string shown = output_of(scene, "fish --no-config complete.fish");
        shown = shown.substr(0, shown.find_first_of("\t\n"));
        INFO(before);
        // fish shows a candidate as it is, and writes the backslash when it inserts it.
        if (const std::size_t space = shown.find("my file"); space != std::string::npos)
            shown.insert(space + 2, 1, '\\');
        CHECK(before.substr(0, before.size() - typed_word.size()) + shown ==
              std::string(line.after).substr(0, std::string(line.after).find_last_not_of(' ') + 1));
    }
}

TEST_CASE("kgen completion tells which shells it knows") {
    const Command kgen;
    const CommandResult other = kgen.run({"completion", "tcsh"});
    CHECK(other.exit_status == 2);
    CHECK(other.messages ==
          "kgen: shell: tcsh not in {bash,zsh,fish}; see kgen completion --help\n");
    CHECK(kgen.run({"completion"}).messages ==
          "kgen: shell is required; see kgen completion --help\n");
    CHECK(kgen.run({"--help"}).output.find("__complete") == std::string::npos);
}

TEST_CASE("the manual page has every command and option, and no mistakes") {
    const Scene scene;
    Command kgen;
    kgen.environment["SOURCE_DATE_EPOCH"] = "86400";
    const std::string page = kgen.run({"man"}).output;
    CHECK(page.starts_with(".TH KGEN 1 1970-01-02 \"kgen " + version() +
                           "\" \"User Commands\"\n"
                           ".SH NAME\nkgen \\- GPU kernels from strings"));
    std::ofstream(scene.kgen.path("kgen.1")) << page;
    std::string plain = page;
    for (std::size_t at = 0; (at = plain.find("\\-", at)) != std::string::npos;) plain.erase(at, 1);
    for (const std::string command : {"", "run", "source", "cache", "cache list", "completion"}) {
        std::istringstream typed(command);
        std::vector<std::string> help;
        for (std::string word; typed >> word;) help.push_back(word);
        help.emplace_back("");
        std::istringstream offered(scene.candidates(help));
        help.back() = "--";
        if (command.empty() || command == "cache") {
            for (std::string name; offered >> name;) {
                INFO(name);
                const std::string title = ".SS kgen " + (command.empty() ? "" : command + " ");
                CHECK(plain.find(title + name + "\n") != std::string::npos);
            }
        }
        std::istringstream options(scene.candidates(help));
        for (std::string name; options >> name;) {
            INFO(name);
            CHECK(plain.find("\\fB" + name + "\\fR") != std::string::npos);
        }
    }
    CHECK(page.find("\\fI\\fR") == std::string::npos);
    CHECK(page.find("\n.TP\n\\fB\\-\\-signatures\\fR\n") != std::string::npos);
    if (is_missing("mandoc")) return;
    CHECK(output_of(scene, "mandoc -Tlint -Wstyle kgen.1") == "status 0");
    const std::string shown = output_of(scene, "mandoc -Tutf8 kgen.1 | sed 's/.\\x08//g'");
    CHECK(shown.find("kgen run --elementwise 'T x, T y' 'T z' 'z = (x - y) * (x - y)'") !=
          std::string::npos);
    CHECK(shown.find("--sort lru|size|name\n") != std::string::npos);
}
