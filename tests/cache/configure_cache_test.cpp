// SPDX-License-Identifier: MIT
//
// The cache settings that a program makes for its process, and the process's statistics. Each
// test case whose name begins with "fresh" runs in a process of its own.
#include <fmt/format.h>

#include <kgen/cache_settings.hpp>
#include <kgen/cache_statistics.hpp>
#include <kgen/kgen.hpp>
#include <map>
#include <string>
#include <vector>

#include "image/process_store.hpp"
#include "store.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/fresh_process.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;

TEST_CASE("fresh: sets the cache of the program and says what it is", "[.fresh]") {
    configure_cache({.max_files = 3});  // the next call replaces it
    configure_cache({.mode = CacheMode::read_only,
                     .directory = "/x",
                     .read_only = std::vector<std::string>{"/opt/a", "/opt/b"},
                     .max_bytes = 1000,
                     .trust = CacheTrust::any,
                     .locking = CacheLocking::off,
                     .lock_timeout = std::chrono::milliseconds(1250)});
    const cache::StoreSettings& settings = process_store().settings();
    report(fmt::format("{} {} {} {} {} {} {} {} {}\n",
                       to_text(settings.mode),
                       settings.root,
                       fmt::join(settings.read_only, "+"),
                       settings.max_bytes,
                       settings.max_files,
                       to_text(settings.trust),
                       to_text(settings.locking),
                       settings.lock_timeout.count(),
                       settings.warnings.size()));
    for (const auto& [name, source] : settings.sources)
        report(fmt::format("{}: {}\n", name, source));
    report(KGEN_MESSAGE_OF(Error, configure_cache({})));
}

TEST_CASE("a program sets its cache, and what it leaves out comes from the environment") {
    CHECK(run_fresh("fresh: sets the cache of the program and says what it is",
                    {{"KGEN_CACHE", "nonsense"},
                     {"KGEN_CACHE_MAX_SIZE", "nonsense"},
                     {"KGEN_CACHE_MAX_FILES", "77"}})
              .text ==
          "ro /x /opt/a+/opt/b 1000 77 any off 1250 0\n"
          "KGEN_CACHE: the program\n"
          "KGEN_CACHE_MAX_FILES: KGEN_CACHE_MAX_FILES\n"
          "KGEN_CACHE_MAX_SIZE: the program\n"
          "KGEN_CACHE_RO_DIRS: the program\n"
          "KGEN_CACHE_TRUST: the program\n"
          "KGEN_LOCK: the program\n"
          "KGEN_LOCK_TIMEOUT: the program\n"
          "configure_cache: the cache is already in use; call configure_cache before the first "
          "kernel is looked up");
}

TEST_CASE("settings of the program that cannot be obeyed are refused") {
    const auto refusal = [](const CacheSettings& settings) {
        return KGEN_MESSAGE_OF(Error, configure_cache(settings));
    };
    CHECK(refusal({.directory = "kernels"}) ==
          "configure_cache: directory is 'kernels'; expected an absolute path");
    CHECK(refusal({.directory = ""}) ==
          "configure_cache: directory is ''; expected an absolute path");
    CHECK(refusal({.read_only = std::vector<std::string>{"/a", "b"}}) ==
          "configure_cache: read_only is 'b'; expected an absolute path");
    CHECK(refusal({.read_only = std::vector<std::string>{"/a:b"}}) ==
          "configure_cache: read_only is '/a:b'; expected a path without a colon");
    CHECK(refusal({.max_bytes = 0}) ==
          "configure_cache: max_bytes is 0; to store nothing use CacheMode::read_only");
    CHECK(refusal({.max_files = 0}) ==
          "configure_cache: max_files is 0; to store nothing use CacheMode::read_only");
    CHECK(refusal({.lock_timeout = std::chrono::milliseconds(-1)}) ==
          "configure_cache: lock_timeout is -1 ms; expected 0 or more");
}

namespace {

std::string counts_of(const CacheStatistics& counts) {
    std::string text = fmt::format(
        "memory {} disk {} read-only {} compiles {} failures {} stores "
        "{} waits {}",
        counts.memory_hits,
        counts.disk_hits,
        counts.read_only_hits,
        counts.compiles,
        counts.compile_failures,
        counts.stores,
        counts.lock_waits);
    for (const auto& [reason, count] : counts.misses) text += fmt::format(", {} {}", reason, count);
    for (const auto& [error, count] : counts.store_failures)
        text += fmt::format(", errno {} {}", error, count);
    return text + "\n";
}

}  // namespace

TEST_CASE("fresh: counts what the cache does", "[.fresh]") {
    report(counts_of(cache_statistics()));
    const Array x = full({3}, 1.0F, float32, {Device::host()});
    const auto make = [](const char* body) {
        return ElementwiseKernel("float32 x", "float32 z", body, "counted_by_cache");
    };
    const ElementwiseKernel kernel = make("z = x + 1");
    kernel(x);
    kernel(x);
    report(counts_of(cache_statistics()));
    make("z = x + 1")(x);  // another object with the same text
    report(counts_of(cache_statistics()));
    const ElementwiseKernel bad = make("z = nothing_of_that_name");
    for (int k = 0; k < 2; ++k) {
        report(KGEN_MESSAGE_OF(CompileError, bad(x)).find("nothing_of_that_name") ==
                       std::string::npos
                   ? "another error\n"
                   : "refused\n");
    }
    report(counts_of(cache_statistics()));
}

TEST_CASE("what the cache does in a process is counted", "[kernel]") {
    const TempDir folder;
    const auto run = [&](const std::string& root, const std::string& places) {
        return run_fresh("fresh: counts what the cache does",
                         {{"KGEN_CACHE_DIR", root}, {"KGEN_CACHE_RO_DIRS", places}})
            .text;
    };
    const std::string none = "memory 0 disk 0 read-only 0 compiles 0 failures 0 stores 0 waits 0\n";
    CHECK(run(folder / "a", "") ==
          none +
              "memory 0 disk 0 read-only 0 compiles 1 failures 0 stores 1 waits 0, no entry 1\n"
              "memory 1 disk 0 read-only 0 compiles 1 failures 0 stores 1 waits 0, no entry 1\n"
              "refused\nrefused\n"
              "memory 1 disk 0 read-only 0 compiles 2 failures 1 stores 1 waits 0, no entry 3\n");
    CHECK(run(folder / "b", folder / "a") ==
          none +
              "memory 0 disk 0 read-only 1 compiles 0 failures 0 stores 0 waits 0\n"
              "memory 1 disk 0 read-only 1 compiles 0 failures 0 stores 0 waits 0\n"
              "refused\nrefused\n"
              "memory 1 disk 0 read-only 1 compiles 1 failures 1 stores 0 waits 0, no entry 2\n");
}

TEST_CASE("fresh: calls a kernel where compiling is forbidden", "[.fresh]") {
    const Array x = full({3}, 1.0F, float32, {Device::host()});
    const ElementwiseKernel kernel("float32 x", "float32 z", "z = x + 1", "never_compiled");
    const Explanation told = kernel.explain(std::vector<Argument>{x});
    report(KGEN_MESSAGE_OF(CompileError, kernel(x)) ==
                   "kernel 'never_compiled': there is no image for " + told.target +
                       " in the cache, and KGEN_COMPILE=never forbids compiling (request " +
                       told.request +
                       ")\ncompile it ahead with 'kgen compile', or unset KGEN_COMPILE"
               ? "kernel, "
               : "another message, ");
    const RawKernel raw("__global__ void raw_never(int* x) { *x = 1; }", "raw_never");
    report(KGEN_MESSAGE_OF(CompileError, raw.prepare(Device::host()))
                   .starts_with("kernel 'raw_never': there is no image for " + told.target)
               ? "raw kernel"
               : "another message");
}

TEST_CASE("a kernel that is not in the cache is an error where compiling is forbidden",
          "[kernel]") {
    const TempDir folder;
    CHECK(run_fresh("fresh: calls a kernel where compiling is forbidden",
                    {{"KGEN_CACHE_DIR", folder / "cache"}, {"KGEN_COMPILE", "never"}})
              .text == "kernel, raw kernel");
}
