// SPDX-License-Identifier: MIT
//
// KGEN_TEMPLATE_PATH: a template there silently replaces kgen's template of the same name, so only the user
// and root may be able to write it.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <kgen/error.hpp>
#include <string>

#include "support/catch.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"
#include "template/template_library.hpp"

namespace fs = std::filesystem;
using namespace kgen;

namespace {

constexpr ::uid_t other_user = 65534;

void write_template(const std::string& path) {
    std::ofstream(path) << R"({"kind":"elementwise","name":"add","description":"not kgen's",)"
                           R"("inputs":"T x","outputs":"T y","operation":"y = x"})";
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
}

void change_mode(const std::string& path, ::mode_t mode) {
    REQUIRE(::chmod(path.c_str(), mode) == 0);
}

void give_away(const std::string& path) {
    REQUIRE(::lchown(path.c_str(), other_user, static_cast<::gid_t>(-1)) == 0);
}

// Returns the description of the `add` that is found, or the error message.
std::string found_in(const std::string& path) {
    const ScopedVariable variable("KGEN_TEMPLATE_PATH", path);
    try {
        const std::string description = find_template("add").description;
        // Lists of templates give the same description.
        for (const TemplateDefinition& each : known_templates()) {
            if (each.name == "add") CHECK(each.description == description);
        }
        return description;
    } catch (const IoError& error) {
        CHECK_THROWS_AS(known_templates(), IoError);
        return error.what();
    }
}

std::string writable_by_others(const std::string& path, const std::string& mode) {
    return "KGEN_TEMPLATE_PATH: '" + path + "' may be written by others (mode " + mode +
           "); run 'chmod go-w " + path + "', or set KGEN_CACHE_TRUST=any";
}

std::string of_another_user(const std::string& path) {
    const ::uid_t user = ::geteuid();
    return "KGEN_TEMPLATE_PATH: '" + path + "' belongs to user " + std::to_string(other_user) +
           "; expected user " + std::to_string(user) + (user == 0 ? "" : " or root") +
           "; set KGEN_CACHE_TRUST=any to use it anyway";
}

constexpr const char* taken = "not kgen's";

}  // namespace

TEST_CASE("templates of one's own are found in folders, files, links and sticky folders",
          "[template][trust]") {
    TempDir folder;
    fs::create_directory(folder / "own");
    change_mode(folder / "own", 0755);
    write_template(folder / "own/a.json");
    CHECK(found_in(folder / "own") == taken);
    CHECK(found_in(folder / "own/a.json") == taken);
    CHECK(found_in(folder / "own/../own/./") == taken);
    fs::create_symlink(folder / "own", folder / "link");
    CHECK(found_in(folder / "link") == taken);
    // A folder of links to files, as package managers create it.
    fs::create_directory(folder / "links");
    change_mode(folder / "links", 0700);
    fs::create_symlink("../own/a.json", folder / "links/b.json");
    CHECK(found_in(folder / "links") == taken);
    // A sticky folder such as /tmp.
    fs::create_directory(folder / "sticky");
    change_mode(folder / "sticky", 01777);
    write_template(folder / "sticky/a.json");
    CHECK(found_in(folder / "sticky/a.json") == taken);
}

TEST_CASE("a folder or file that others may write is refused, and the way out works",
          "[template][trust]") {
    for (const ::mode_t mode : {0777, 0775, 0757, 01777}) {
        TempDir folder;
        fs::create_directory(folder / "shared");
        write_template(folder / "shared/a.json");
        change_mode(folder / "shared", mode);
        char text[8];
        std::snprintf(text, sizeof text, "%04o", mode);
        CHECK(found_in(folder / "shared") == writable_by_others(folder / "shared", text));
        {
            const ScopedVariable trust("KGEN_CACHE_TRUST", "any");
            CHECK(found_in(folder / "shared") == taken);
        }
        change_mode(folder / "shared", mode & ~022U & 0777U);
        CHECK(found_in(folder / "shared") == taken);
    }
    TempDir folder;
    write_template(folder / "a.json");
    change_mode(folder / "a.json", 0666);
    CHECK(found_in(folder / "a.json") == writable_by_others(folder / "a.json", "0666"));
    CHECK(found_in(folder.path()) == writable_by_others(folder / "a.json", "0666"));
}

TEST_CASE("a parent that others may write, or a link through one, is refused",
          "[template][trust]") {
    TempDir folder;
    fs::create_directories(folder / "shared/own");
    change_mode(folder / "shared/own", 0755);
    write_template(folder / "shared/own/a.json");
    fs::create_symlink(folder / "shared/own", folder / "link");
    change_mode(folder / "shared", 0777);
    const std::string refusal = writable_by_others(folder / "shared", "0777");
    CHECK(found_in(folder / "shared/own") == refusal);
    CHECK(found_in(folder / "shared/own/a.json") == refusal);
    CHECK(found_in(folder / "link") == refusal);
}

TEST_CASE("another user's folder, file or link is refused", "[template][trust]") {
    if (::geteuid() != 0) {
        WARN("SKIPPED, needs root");
        return;
    }
    TempDir folder;
    fs::create_directory(folder / "own");
    change_mode(folder / "own", 0755);
    write_template(folder / "own/a.json");
    give_away(folder / "own/a.json");
    CHECK(found_in(folder / "own") == of_another_user(folder / "own/a.json"));
    CHECK(found_in(folder / "own/a.json") == of_another_user(folder / "own/a.json"));
    write_template(folder / "b.json");
    fs::create_symlink(folder / "b.json", folder / "link.json");
    give_away(folder / "link.json");
    CHECK(found_in(folder / "link.json") == of_another_user(folder / "link.json"));
    give_away(folder / "own");
    CHECK(found_in(folder / "own") == of_another_user(folder / "own"));
    // In a folder such as /tmp, another user may have created the file first.
    fs::create_directory(folder / "sticky");
    change_mode(folder / "sticky", 01777);
    write_template(folder / "sticky/a.json");
    give_away(folder / "sticky/a.json");
    CHECK(found_in(folder / "sticky/a.json") == of_another_user(folder / "sticky/a.json"));
}

TEST_CASE("a file of templates that is named by itself is the user's choice", "[template][trust]") {
    TempDir folder;
    fs::create_directory(folder / "shared");
    write_template(folder / "shared/a.json");
    change_mode(folder / "shared", 0777);
    CHECK(read_template_path(folder / "shared/a.json").at(0).name == "add");
}
