// SPDX-License-Identifier: MIT
//
// Files of templates: which files are read, where they are searched, and which are rejected.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <kgen/error.hpp>
#include <kgen/kernel_template.hpp>
#include <new>
#include <optional>

#include "support/catch.hpp"
#include "support/fault_run.hpp"
#include "support/sanitizers.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"
#include "template/template_reader.hpp"
#include "template/template_text.hpp"

using namespace kgen;

namespace {

std::string template_text(const std::string& name, const std::string& description) {
    return R"({"kind": "elementwise", "name": ")" + name + R"(", "description": ")" + description +
           R"(", "inputs": "T x", "outputs": "T y", "operation": "y = x"})";
}

void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

std::string message_of(const std::string& path) {
    return KGEN_MESSAGE_OF(Error, KernelTemplate::from_file(path));
}

}  // namespace

TEST_CASE("what is no regular file is refused at once", "[template]") {
    const TempDir folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(message_of(folder / "pipe") ==
          folder / "pipe" + ":1:1: this is a pipe, expected a file of templates");
    CHECK(message_of(folder.path()) ==
          folder.path() + ":1:1: this is a directory, expected a file of templates");
    CHECK(message_of("/dev/zero") ==
          "/dev/zero:1:1: this is a device, expected a file of templates");
    CHECK(message_of(folder / "none.json") ==
          "cannot read '" + folder / "none.json" + "': No such file or directory");

    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    (folder / "socket").copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    CHECK(message_of(folder / "socket") ==
          folder / "socket" + ":1:1: this is a socket, expected a file of templates");
    ::close(socket);
}

TEST_CASE("a file of templates has a mebibyte at most", "[template]") {
    const TempDir folder;
    const std::string file = folder / "long.json";
    write(file, template_text("own", "x") + std::string(longest_template_file, ' '));
    const std::string refused =
        file + ":1:1: the file has more than 1048576 bytes, the limit for a file of templates";
    CHECK(message_of(file) == refused);
    std::filesystem::resize_file(file, 1 << 30);  // sparse: 1 GiB that is never read
    CHECK(message_of(file) == refused);
    std::filesystem::resize_file(file, longest_template_file);
    CHECK(KernelTemplate::from_file(file).name() == "own");
}

TEST_CASE("one of several templates is named", "[template]") {
    const std::string several = "{\"templates\": [" + template_text("first", "x") + ", " +
                                template_text("second", "x") + "]}";
    CHECK(KernelTemplate::from_json(several, "second").name() == "second");
    CHECK(KGEN_MESSAGE_OF(SignatureError, KernelTemplate::from_json(several)) ==
          "<text>:1:1: there are 2 templates; name one of first, second");
    CHECK(KGEN_MESSAGE_OF(SignatureError, KernelTemplate::from_json(several, "secnd")) ==
          "<text>:1:1: no template is called 'secnd'; did you mean 'second'?");
    CHECK(KGEN_MESSAGE_OF(SignatureError, KernelTemplate::from_json(several, "other")) ==
          "<text>:1:1: no template is called 'other'; it has first, second");
    CHECK(KGEN_MESSAGE_OF(SignatureError, KernelTemplate::from_json("{\"templates\": []}")) ==
          "<text>:1:1: the file has no template");
}

TEST_CASE("templates are found in KGEN_TEMPLATE_PATH before the library", "[template]") {
    const TempDir folder;
    std::filesystem::create_directory(folder / "more");
    write(folder / "one.json", template_text("add", "mine"));
    write(folder / "more/b.json", template_text("own", "found"));
    write(folder / "more/a.json", template_text("add", "hidden by one.json"));
    write(folder / "more/c.json",
          R"({"kind": "elementwise", "name": "third", "aliases": ["mod"], "description": "x / 3",
              "inputs": "T x", "outputs": "T y", "operation": "y = x / 3"})");
    write(folder / "more/notes.txt", "no template");
    const ScopedVariable path("KGEN_TEMPLATE_PATH",
                              ":" + folder / "one.json" + "::" + folder / "more" + ":");
    CHECK(kernel_template("add").description() == "mine");
    CHECK(kernel_template("add").origin() == folder / "one.json");
    CHECK(kernel_template("own").origin() == folder / "more/b.json");
    CHECK(kernel_template("mod").name() == "third");
    CHECK(kernel_template("sum").origin() == "<kgen>/reductions.json");
    CHECK(KGEN_MESSAGE_OF(SignatureError, kernel_template("owwn")) ==
          "no template is called 'owwn'; did you mean 'own'?");
    CHECK(KGEN_MESSAGE_OF(SignatureError, kernel_template("../../etc\n")) ==
          "no template is called '../../etc\\n'; kgen list shows all");

    const std::vector<TemplateInfo> list = kernel_templates();
    CHECK(std::is_sorted(
        list.begin(), list.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
    std::vector<std::string> own;
    for (const TemplateInfo& each : list) {
        if (!each.built_in) own.push_back(each.name + ": " + each.description);
    }
    CHECK(own == std::vector<std::string>{"add: mine", "own: found", "third: x / 3"});
}

TEST_CASE("a place in KGEN_TEMPLATE_PATH that does not read is an error", "[template]") {
    const TempDir folder;
    const ScopedVariable path("KGEN_TEMPLATE_PATH", folder.path());
    write(folder / "a.json", template_text("own", "x"));
    write(folder / "b.json", "{");
    const std::string broken = folder / "b.json" +
                               ":1:2: broken JSON while parsing object key: unexpected end of "
                               "input; expected string literal";
    CHECK(KGEN_MESSAGE_OF(SignatureError, kernel_template("add")) == broken);
    CHECK(KGEN_MESSAGE_OF(SignatureError, kernel_templates()) == broken);
    write(folder / "b.json", template_text("own", "y"));
    CHECK(KGEN_MESSAGE_OF(SignatureError, kernel_template("add")) ==
          folder / "b.json" + ":1:1: template 'own' is also defined in " + folder / "a.json");
    const ScopedVariable missing("KGEN_TEMPLATE_PATH", folder / "none");
    CHECK(KGEN_MESSAGE_OF(IoError, kernel_template("add")) ==
          "cannot read '" + folder / "none" + "': No such file or directory");
}

namespace {

// The outcome of reading a file: its templates, an error, or a lack of memory.
struct Outcome {
    std::vector<TemplateDefinition> templates;
    std::string error;
    bool is_without_memory = false;

    explicit Outcome(const std::string& path) {
        try {
            try {
                templates = read_template_file(path);
            } catch (const Error& what) {
                error = what.what();
            }
        } catch (const std::bad_alloc&) {
            is_without_memory = true;
        }
    }
    // Must not be called while memory fails, because a JSON tree cannot be destroyed then.
    std::string text() const {
        std::string joined = error;
        for (const TemplateDefinition& each : templates) joined += to_json(each);
        return joined;
    }
};

// Checks that the file reads as usual or not at all if any one allocation fails. Returns the first problem.
std::string read_with_little_memory(const std::string& path) {
    const std::string expected = Outcome(path).text();
    bool has_failed = false;
    const std::string problem =
        for_each_call(kgen::test::FaultCall::malloc,
                      {ENOMEM},
                      [&](const kgen::test::Fault& fault, long& calls) -> std::string {
                          std::optional<Outcome> outcome;
                          calls = with_fault(fault, [&] { outcome.emplace(path); });
                          if (outcome->is_without_memory) has_failed = true;
                          if (outcome->is_without_memory || outcome->text() == expected) return "";
                          return "got " + outcome->text();
                      });
    return has_failed ? problem : "no request for memory failed\n";
}

}  // namespace

TEST_CASE("hidden: templates and little memory", "[.fresh]") {
    if (!kgen::test::FaultLibrary::find().is_loaded())
        return report("the fault library is not loaded");
    const TempDir folder;
    const std::string file = folder / "own.json";
    const std::string text =
        R"({"templates": [{"kind": "elementwise", "name": "own", "description": "\u00e9 and more of it",
        "inputs": "T x, U y", "outputs": "T z", "operation": "z = x * T(y) + 1", "where": {"T": ["floats"]},
        "compile": {"types": {"T": ["float32", "float64"], "U": ["int32"]}, "layouts": ["contiguous"]}}]})";
    write(file, text);
    report("read: " + Outcome(file).text().substr(0, 1) + "\n");
    report("a file: " + read_with_little_memory(file));
    write(file, text.substr(0, text.size() - 2));
    report("half a file: " + read_with_little_memory(file));
    write(file, text.substr(0, text.find("T z")) + text.substr(text.find("T z") + 3));
    report("a template that does not read: " + read_with_little_memory(file));
}

TEST_CASE("a file of templates is read or not where memory is missing at any one place") {
#if KGEN_SANITIZED
    WARN("SKIPPED, the sanitizers have an allocator of their own");
#else
    CHECK(run_with_faults("hidden: templates and little memory").text ==
          "read: {\na file: good\nhalf a file: good\na template that does not read: good\n");
#endif
}
