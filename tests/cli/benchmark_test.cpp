// SPDX-License-Identifier: MIT
//
// How the benchmark judges results, and its limits and targets.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <benchmarks/case_kernels.hpp>
#include <benchmarks/cold_time.hpp>
#include <benchmarks/guard_pages.hpp>
#include <benchmarks/report.hpp>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <kgen/kgen.hpp>
#include <set>

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using namespace kgen::bench;

namespace {

Case two_inputs(const std::string& body, Reference reference) {
    const Operand operand{float32, {70, 90}};
    return {"case",
            "tests",
            Kernel{"T x, T y", "T z", body, std::move(reference), 0},
            {operand, operand},
            operand};
}

double error_of(const Case& given) {
    const DeviceScope host(Device::host());
    return PreparedCase(given, Scale::full).largest_error();
}

Row row_of(double ms) {
    Row row;
    row.name = "case";
    row.ms = {ms, ms, ms};
    row.correct = true;
    return row;
}

}  // namespace

TEST_CASE("every case of the benchmark has a name of its own") {
    std::set<std::string> names;
    for (const Case& given : all_cases()) {
        INFO(given.name);
        CHECK(names.insert(given.name).second);
        CHECK(names.count(given.family) == 0);
    }
    CHECK(names.size() > 60);
}

TEST_CASE("the benchmark finds results that are not the reference's") {
    const auto product_of = [](const Number* x) { return x[0] * x[1]; };
    // Inputs are below 2, so the product is below 4 and an error of 1 is at least a quarter of it.
    CHECK(error_of(two_inputs("z = x * y", product_of)) < 1e-6);
    CHECK(error_of(two_inputs("z = x * y + (i == n - 1)", product_of)) > 0.2);
    CHECK(error_of(two_inputs("z = x * y + (i == 0)", product_of)) > 0.2);
    CHECK(error_of(two_inputs("z = y * y", product_of)) > 0.1);
}

TEST_CASE("the benchmark finds elements that were not written") {
    const auto first = [](const Number* x) { return x[0]; };
    CHECK(std::isnan(error_of(two_inputs("if (i != n - 1) z = x", first))));
    CHECK(std::isnan(error_of(two_inputs("if (i % 16) z = x", first))));
}

TEST_CASE("the benchmark finds writes outside the output") {
    const Operand operand{float32, {5000}};
    Operand shifted = operand;
    shifted.offset = 1;
    const auto first = [](const Number* x) { return x[0]; };
    const auto writing = [&](const std::string& body) {
        const Kernel kernel{"T x", "raw T y", body, first, 0};
        return error_of({"case", "tests", kernel, {operand}, shifted});
    };
    CHECK(writing("y[i] = x") == 0);
    CHECK(std::isnan(writing("y[i] = x; if (i == n - 1) y[n] = x")));
    CHECK(std::isnan(writing("y[i] = x; if (i == 0) y[-1] = x")));
}

TEST_CASE("an access outside of an array between guard pages ends the process") {
    const GuardPages guards;
    // Arrays are placed by turns, so two in a row are guarded on either side.
    const Array arrays[] = {zeros({1024}, uint8, {Device::host()}),
                            zeros({1024}, uint8, {Device::host()})};
    const auto signal_of = [](const volatile std::byte* address) {
        const ::pid_t child = ::fork();
        if (child == 0) {
            ::signal(SIGSEGV, SIG_DFL);
            static_cast<void>(*address);
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    };
    int before = 0;
    int behind = 0;
    for (const Array& array : arrays) {
        const auto* first = static_cast<const std::byte*>(array.data());
        CHECK(signal_of(first) == 0);
        CHECK(signal_of(first + 1023) == 0);
        before += signal_of(first - 1) == SIGSEGV ? 1 : 0;
        behind += signal_of(first + 1024) == SIGSEGV ? 1 : 0;
    }
    CHECK(before == 1);
    CHECK(behind == 1);
}

TEST_CASE("the traffic of a case leaves out what is repeated") {
    const DeviceScope host(Device::host());
    for (const Case& given : all_cases()) {
        if (given.name != "bcast_row_u8_f32_16k") continue;
        const PreparedCase prepared(given, Scale::quick);
        const auto count = static_cast<double>(prepared.output().size());
        CHECK(prepared.traffic().read_bytes == count);
        CHECK(prepared.traffic().written_bytes == 4 * count);
        return;
    }
    FAIL("the case is gone");
}

TEST_CASE("the floor lies between the limits by the share of what is written") {
    const Limits limits{.copy = 4000, .read = 5000, .write_kernel = 4200, .write_memset = 4400};
    CHECK(limits.write() == 4400);
    CHECK(limits.floor_ms({.read_bytes = 5e9, .written_bytes = 0}) == Approx(1));
    CHECK(limits.floor_ms({.read_bytes = 2e9, .written_bytes = 2e9}) == Approx(1));
    CHECK(limits.floor_ms({.read_bytes = 0, .written_bytes = 4.4e9}) == Approx(1));
    // 1e9 bytes are copied, at the bandwidth of a copy. The other 1e9 bytes are only read.
    CHECK(limits.floor_ms({.read_bytes = 2e9, .written_bytes = 1e9}) ==
          Approx(1e9 / 5000 / 1e6 + 2e9 / 4000 / 1e6));
}

TEST_CASE("a run on an H200 is void below 4200 GB/s of copy") {
    CHECK(reason_void({.copy = 4199.6}, "NVIDIA H200, sm_90") ==
          "this run is void: a copy reaches 4200 GB/s, expected at least 4200 on an H200 that is "
          "idle and "
          "not throttled");
    CHECK(reason_void({.copy = 4200}, "NVIDIA H200, sm_90") == "");
    CHECK(reason_void({.copy = 3000}, "NVIDIA H100 80GB HBM3, sm_90") == "");
}

TEST_CASE("the target is the higher of the case's own and the best peer less 0.02") {
    const Limits limits{.copy = 4000, .read = 5000, .write_kernel = 5000, .write_memset = 4400};
    const std::vector<PeerRow> peers = {
        {"case", "one", 1.0, 0.5}, {"case", "two", 0.5, 1.0}, {"other", "one", 1, 2.0}};
    Row own = row_of(1);
    set_share_target(own, Target{0.99}, limits, peers);
    CHECK(own.least_share == 0.99);
    CHECK(own.target_source == "kgen");
    Row peer = row_of(1);
    set_share_target(peer, Target{0.97}, limits, peers);
    CHECK(*peer.least_share == Approx(0.98));
    CHECK(peer.target_source == "two");
    Row written = row_of(1);
    set_share_target(written, Target{0.8, Limit::write}, limits, {});
    CHECK(*written.least_share == Approx(1.0));  // relative to the copy
    Row none = row_of(1);
    set_share_target(none, {}, limits, {});
    CHECK_FALSE(none.has_target());
    CHECK(none.result() == "right");
}

TEST_CASE("a target may be a share of what another case reached in the same run") {
    const Limits limits{.copy = 4000, .read = 5000, .write_kernel = 5000, .write_memset = 4400};
    Row plain = row_of(1);
    plain.name = "plain";
    plain.share = 1.05;
    const Target target{0.98, Limit::other_case, "plain"};
    Row row = row_of(1);
    set_share_target(row, target, limits, {}, {row_of(2), plain});
    CHECK(*row.least_share == Approx(0.98 * 1.05));
    Row alone = row_of(1);
    set_share_target(alone, target, limits, {}, {row_of(2)});
    CHECK_FALSE(alone.has_target());
    for (const Case& given : all_cases()) {
        if (!given.target || given.target->limit != Limit::other_case) continue;
        INFO(given.name);
        const auto is_other = [&](const Case& each) {
            return each.name == given.target->other_case;
        };
        const auto& cases = all_cases();
        const auto other = std::find_if(cases.begin(), cases.end(), is_other);
        REQUIRE(other != cases.end());
        CHECK(&*other < &given);
    }
}

TEST_CASE("a cold case is to be no slower than the fastest peer") {
    Row row = row_of(0.00435);
    set_time_target(row, {{"case", "one", 0.00435}, {"case", "two", 0.005}});
    CHECK(row.target_source == "one");
    CHECK(row.result() == "ok");
    row.ms.median = 0.00436;
    CHECK(row.result() == "below");
    row.correct = false;
    CHECK(row.result() == "WRONG");
    row.problem = "no memory";
    CHECK(row.result() == "failed");
}

TEST_CASE("the cold cases are of the sizes that are asked for, or of the usual ones") {
    const auto names = [](const std::vector<int>& log2) {
        std::string text;
        for (const Case& given : cold_cases(log2)) text += given.name + " ";
        return text;
    };
    CHECK(names({10}) == "sqdiff_f32_2^10_cold sumsq_f32_2^10_cold ");
    CHECK(names({}) ==
          "sqdiff_f32_2^16_cold sqdiff_f32_2^20_cold sqdiff_f32_2^24_cold sumsq_f32_2^12_cold "
          "sumsq_f32_2^16_cold sumsq_f32_2^20_cold sumsq_f32_2^24_cold ");
}

TEST_CASE("peers are read from JSON, and what is no measurement is passed over") {
    const TempDir folder;
    const std::string path = folder / "peers.json";
    const auto message = [&](const std::string& text) -> std::string {
        std::ofstream(path) << text;
        try {
            read_peers(path);
        } catch (const IoError& error) {
            return error.what();
        }
        return "";
    };
    CHECK(message("{") == path + ": is not JSON");
    CHECK(message("{\"ceil\": 1}") == path + ": has no list \"rows\" of measurements");
    CHECK(message(R"({"rows": [{"case": "a", "peer": "p", "ms": 2, "frac": 0.5},
                               {"case": "b", "peer": "q", "ms": 0.004, "frac": null},
                               {"case": "calls", "peer": "p", "ns": 7}, 5]})") == "");
    const std::vector<PeerRow> peers = read_peers(path);
    REQUIRE(peers.size() == 2);
    CHECK(best_share(peers, "a") == &peers[0]);
    CHECK(best_share(peers, "b") == nullptr);
    CHECK(fastest(peers, "b") == &peers[1]);
    CHECK(fastest(peers, "calls") == nullptr);
    CHECK_THROWS_AS(read_peers(folder / "none.json"), IoError);
}

TEST_CASE("a transfer that is wrong makes the report unsound, a slow one does not") {
    Report report;
    report.transfers = {{.name = "a",
                         .bytes = 1e6,
                         .kgen_ms = {0.1, 0.1, 0.1},
                         .bare_ms = {0.1, 0.1, 0.1},
                         .speed = 0.999,
                         .least_speed = 0.9,
                         .correct = true}};
    report.transfers.push_back(report.transfers[0]);
    report.transfers[1].name = "b";
    report.transfers[1].speed = 0.5;
    CHECK(report.is_sound());
    const std::string heading =
        "\n"
        "data in and out, vs bare driver         kgen ms    bare ms     GB/s   speed  target  "
        "result\n";
    const std::string times =
        "                                        0.1000     0.1000     10.0   ";
    CHECK(transfers_text(report.transfers) ==
          heading + "a" + times + "0.999    0.90  ok\nb" + times + "0.500    0.90  below\n");
    report.transfers[1].least_speed = {};
    CHECK(report.transfers[1].result() == "right");
    report.transfers[0].correct = false;
    CHECK(report.transfers[0].result() == "WRONG");
    CHECK_FALSE(report.is_sound());
    report.transfers = {{.name = "c", .problem = "no memory"}};
    CHECK_FALSE(report.is_sound());
    CHECK(transfers_text(report.transfers) ==
          heading + "c                                    failed: no memory\n");
}

TEST_CASE("a chain of kernels that is wrong makes the report unsound, a slow one does not") {
    Report report;
    report.kernel_chains = {{.name = "a",
                             .kgen_ms = {0.1, 0.1, 0.1},
                             .bare_ms = {0.1, 0.1, 0.1},
                             .ratio = 1.001,
                             .most_ratio = 1.02,
                             .correct = true}};
    report.kernel_chains.push_back(report.kernel_chains[0]);
    report.kernel_chains[1].name = "b";
    report.kernel_chains[1].ratio = 1.5;
    CHECK(report.is_sound());
    CHECK(kernel_chains_text(report.kernel_chains) ==
          "\n"
          "2^14 float32, vs bare driver    kgen ms    bare ms   ratio  target  result\n"
          "a                               0.10000    0.10000   1.001    1.02  ok\n"
          "b                               0.10000    0.10000   1.500    1.02  above\n");
    report.kernel_chains[0].correct = false;
    CHECK(report.kernel_chains[0].result() == "WRONG");
    CHECK_FALSE(report.is_sound());
    report.kernel_chains = {{.name = "c", .problem = "no memory"}};
    CHECK(kernel_chains_text(report.kernel_chains) ==
          "\n"
          "2^14 float32, vs bare driver    kgen ms    bare ms   ratio  target  result\n"
          "c                            failed: no memory\n");
}
