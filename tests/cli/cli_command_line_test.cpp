// SPDX-License-Identifier: MIT
#include <csignal>
#include <kgen/system.hpp>

#include "support/command.hpp"

TEST_CASE("a command line that does not read ends with status 2 and one line") {
    struct Case {
        std::vector<std::string> arguments;
        const char* message;
    };
    const std::vector<Case> cases = {
        {{}, "a command is missing; see kgen --help"},
        {{"sorce"}, "unknown command 'sorce'; did you mean 'source'?"},
        {{"paint", "--help"}, "unknown command 'paint'; see kgen --help"},
        {{""}, "unknown command ''; see kgen --help"},
        {{"cache"}, "a command is missing; see kgen cache --help"},
        {{"cache", "--"}, "a command is missing; see kgen cache --help"},
        {{"cache", "pth"}, "unknown command 'pth'; did you mean 'path'?"},
        {{"--vresion"}, "unknown option '--vresion'; did you mean '--version'?"},
        {{"doctor", "--jsn"}, "unknown option '--jsn'; did you mean '--json'?"},
        {{"doctor", "all"}, "unknown argument 'all'; see kgen doctor --help"},
        {{"run"},
         "the kernel is missing; give the name of a template, --elementwise INPUTS OUTPUTS BODY or "
         "--reduce INPUTS OUTPUTS MAP REDUCE POST_MAP IDENTITY"},
        {{"run", "--blok-size=3"}, "unknown option '--blok-size'; did you mean '--block-size'?"},
        {{"run", "--device", "gpu"},
         "--device: 'gpu' is not a device: expected 'host', 'cuda' or 'cuda:1'; see kgen run "
         "--help"},
        {{"run", "--size", "1e3"}, "--size: '1e3' is not a 64-bit integer; see kgen run --help"},
        {{"run", "--axis", "0", "--axis", "1"}, "--axis is given twice; see kgen run --help"},
        {{"run", "--elementwise", "T x", "T z", "z = x", "--elementwise", "T x", "T z", "z = x"},
         "--elementwise is given twice; see kgen run --help"},
        {{"run", "--elementwise", "T 9", "T z", "z = 1"}, nullptr}};
    const Command kgen;
    for (const Case& row : cases) {
        const CommandResult result = kgen.run(row.arguments);
        INFO(result.messages);
        CHECK(result.exit_status == 2);
        CHECK(result.output == "");
        if (row.message != nullptr)
            CHECK(result.messages == "kgen: " + std::string(row.message) + "\n");
    }
}

TEST_CASE("kgen --version prints the library's version") {
    const CommandResult result = Command().run({"--version"});
    CHECK(result.output == "kgen " + kgen::version() + "\n");
    CHECK(result.exit_status == 0);
}

TEST_CASE("help goes to stdout and names every command and the exit status") {
    const Command kgen;
    const CommandResult result = kgen.run({"--help"});
    CHECK(result.exit_status == 0);
    CHECK(result.messages == "");
    for (const std::string text : {"run",
                                   "source",
                                   "explain",
                                   "cache",
                                   "doctor",
                                   "--version",
                                   "Exit status: 0 done",
                                   "70 device fault"}) {
        INFO(text);
        CHECK(result.output.find(text) != std::string::npos);
    }
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"run"}, {"source"}, {"explain"}, {"cache", "path"}, {"doctor"}}) {
        std::vector<std::string> arguments = command;
        arguments.push_back("--help");
        const CommandResult help = kgen.run(arguments);
        INFO(command.back());
        CHECK(help.exit_status == 0);
        CHECK(help.output.find("--device") != std::string::npos);
        CHECK(help.output.find("--json") != std::string::npos);
    }
    CHECK(kgen.run({"--help"}, "/dev/full").exit_status == 3);
}

TEST_CASE("a reader of stdout that goes ends every command quietly, by SIGPIPE") {
    const Command kgen;
    for (const char* line : {"list",
                             "list --json",
                             "show add",
                             "doctor",
                             "--help",
                             "run --help",
                             "--version",
                             "cache path",
                             "cache list",
                             "cache stats --json",
                             "bench --list",
                             "source add x=[1,2] y=2",
                             "explain add x=[1,2] y=2 --json",
                             "run add x=[1,2] y=2"}) {
        INFO(line);
        std::vector<std::string> arguments;
        std::istringstream words(line);
        for (std::string word; words >> word;) arguments.push_back(word);
        const CommandResult result = kgen.run_with_closed_pipe(arguments);
        CHECK(result.exit_status == 128 + SIGPIPE);
        CHECK(result.messages == "");
    }
}
