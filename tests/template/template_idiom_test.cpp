// SPDX-License-Identifier: MIT
//
// kernel_template("add")(x, y): the look-up parses nothing that it has parsed before, and sees changed files.
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <kgen/embedded_templates.hpp>
#include <kgen/kgen.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/fresh_process.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"
#include "template/program_templates.hpp"
#include "template/template_library.hpp"
#include "template/user_templates.hpp"

using namespace kgen;

namespace {

void write_template(const std::string& path, const std::string& name, const std::string& value) {
    std::ofstream(path) << R"({"kind":"elementwise","name":")" + name +
                               R"(","description":"of a file","inputs":"T x","outputs":"T y",)" +
                               R"("operation":"y = )" + value + "\"}";
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
}

void settle() {
    std::this_thread::sleep_for(std::chrono::milliseconds(3100));
}

}  // namespace

TEST_CASE("the look-up of a built-in template allocates nothing after the first one") {
    const ScopedVariable none("KGEN_TEMPLATE_PATH", std::nullopt);
    static_cast<void>(kernel_template("hypot"));
    CHECK(test::allocations_of([] { static_cast<void>(kernel_template("hypot")); }) == 0);
    const std::string& origin = kernel_template("hypot").origin();
    CHECK(&kernel_template("hypot").origin() == &origin);  // one object
}

TEST_CASE("the list of templates tells what their definitions do") {
    const ScopedVariable none("KGEN_TEMPLATE_PATH", std::nullopt);
    const std::vector<TemplateSummary> summaries = known_summaries();
    CHECK(summaries.size() == library_templates().size());
    for (const TemplateSummary& each : summaries) {
        INFO(each.name);
        const TemplateDefinition whole = find_template(each.name);
        CHECK(each.description == whole.description);
        CHECK(each.kind == whole.kind);
        CHECK(each.origin == whole.origin);
    }
}

TEST_CASE("threads that look up templates at the same time get the same ones") {
    const ScopedVariable none("KGEN_TEMPLATE_PATH", std::nullopt);
    const std::vector<TemplateInfo> all = kernel_templates();
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    std::vector<std::vector<const std::string*>> found(4);
    for (std::size_t t = 0; t < found.size(); ++t) {
        threads.emplace_back([&, t] {
            for (const TemplateInfo& each : all) {
                const KernelTemplate one = kernel_template(each.name);
                if (one.name() != each.name || one.description() != each.description) ++wrong;
                found[t].push_back(&one.origin());
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    for (const auto& each : found) CHECK(each == found[0]);
}

TEST_CASE("files of KGEN_TEMPLATE_PATH are read again if they change, and only then") {
    TempDir folder;
    write_template(folder / "a.json", "mine", "x + 1");
    const ScopedVariable path("KGEN_TEMPLATE_PATH", folder.path());
    const Array x = full({2}, 5, float32, {.device = Device::host()});
    CHECK(to_text(kernel_template("mine")(x)) == "[6. 6.]");
    // A change within the clock's tick must not be missed.
    write_template(folder / "a.json", "mine", "x + 2");
    CHECK(to_text(kernel_template("mine")(x)) == "[7. 7.]");
    settle();
    const auto first = user_templates();
    CHECK(user_templates() == first);
    const std::string* origin = &kernel_template("mine").origin();
    CHECK(&kernel_template("mine").origin() == origin);
    CHECK(kernel_template("add").origin() == "<kgen>/arithmetic.json");
    // A changed file, a new file, a file that is gone, another value of a variable.
    write_template(folder / "a.json", "mine", "x + 3");
    CHECK(to_text(kernel_template("mine")(x)) == "[8. 8.]");
    write_template(folder / "b.json", "add", "x");
    CHECK(kernel_template("add").origin() == folder / "b.json");
    std::filesystem::remove(folder / "a.json");
    CHECK(KGEN_MESSAGE_OF(SignatureError, kernel_template("mine")) ==
          "no template is called 'mine'; did you mean 'min'?");
    const ScopedVariable none("KGEN_TEMPLATE_PATH", std::nullopt);
    CHECK(kernel_template("add").origin() == "<kgen>/arithmetic.json");
}

TEST_CASE("templates that were read are not trusted once others may have changed them") {
    TempDir folder;
    std::filesystem::create_directory(folder / "own");
    write_template(folder / "own/a.json", "mine", "x");
    REQUIRE(::chmod((folder / "own").c_str(), 0755) == 0);
    const ScopedVariable path("KGEN_TEMPLATE_PATH", folder / "own");
    settle();
    CHECK(kernel_template("mine").description() == "of a file");
    REQUIRE(::chmod((folder / "own/a.json").c_str(), 0666) == 0);
    const std::string refusal = "' may be written by others (mode ";
    CHECK(KGEN_MESSAGE_OF(IoError, kernel_template("mine")).find(refusal) != std::string::npos);
    REQUIRE(::chmod((folder / "own/a.json").c_str(), 0644) == 0);
    CHECK(kernel_template("mine").description() == "of a file");
    REQUIRE(::chmod((folder / "own").c_str(), 0777) == 0);
    CHECK(KGEN_MESSAGE_OF(IoError, kernel_template("mine")).find(refusal) != std::string::npos);
    const ScopedVariable trust("KGEN_CACHE_TRUST", "any");
    CHECK(kernel_template("mine").description() == "of a file");
}

TEST_CASE("fresh: embedded templates", "[.fresh]") {
    static const EmbeddedTemplates first("first", R"({"templates":[
        {"kind":"elementwise","name":"thrice","description":"3 x","inputs":"T x","outputs":"T y",
         "operation":"y = 3 * x"},
        {"kind":"elementwise","name":"negative","description":"my own","inputs":"T x",
         "outputs":"T y","operation":"y = -x"}]})");
    const Array x = full({2}, 5, float32, {.device = Device::host()});
    report(to_text(kernel_template("thrice")(x)) + " " + kernel_template("thrice").origin() + "\n");
    report(kernel_template("negative").description() + "\n");
    report(kernel_template("add").origin() + "\n");
    static const EmbeddedTemplates second(
        "second", R"({"kind":"elementwise","name":"add","description":"late","inputs":"T x",
                      "outputs":"T y","operation":"y = x"})");
    report(kernel_template("add").origin() + " " + kernel_template("thrice").origin() + "\n");
    const std::vector<KernelTemplate> both = {kernel_template("thrice"), kernel_template("sum")};
    const std::string text = embed_templates(both, "again");
    report(text.substr(0, 88));
    for (const TemplateInfo& each : kernel_templates()) {
        if (each.origin.starts_with("<program>/"))
            report(each.name + (each.built_in ? " built-in\n" : " embedded\n"));
    }
    static const EmbeddedTemplates broken("broken", "{");
    report(KGEN_MESSAGE_OF(SignatureError, kernel_template("add")).substr(0, 24) + "\n");
}

TEST_CASE("templates that are embedded in the program precede kgen's own") {
    const FreshResult result = run_fresh("fresh: embedded templates", {{"KGEN_DEVICE", "host"}});
    CHECK(result.text ==
          "[15. 15.] <program>/first\nmy own\n<kgen>/arithmetic.json\n"
          "<program>/second <program>/first\n"
          "\n#include <kgen/embedded_templates.hpp>\n\nnamespace {\n\nconstexpr char "
          "kgen_templates_text"
          "add embedded\nnegative embedded\nthrice embedded\n"
          "<program>/broken:1:2: br\n");
    CHECK(result.exit_status == 0);
    CHECK(embed_templates({}, "none") == "");
}
