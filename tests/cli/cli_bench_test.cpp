// SPDX-License-Identifier: MIT
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "support/command.hpp"

using nlohmann::json;

namespace {

// Returns whether elements are closed in order and none is left open. Attributes must not contain '<' or '>'.
bool is_well_formed(const std::string& document) {
    std::vector<std::string> open;
    for (std::size_t at = document.find('<'); at != std::string::npos;
         at = document.find('<', at + 1)) {
        const std::size_t end = document.find('>', at);
        if (end == std::string::npos) return false;
        const std::string tag = document.substr(at + 1, end - at - 1);
        if (tag.back() == '/') continue;
        if (tag.front() != '/') {
            open.push_back(tag.substr(0, tag.find(' ')));
        } else if (open.empty() || tag.substr(1) != open.back()) {
            return false;
        } else {
            open.pop_back();
        }
    }
    return open.empty();
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

}  // namespace

TEST_CASE("kgen bench --quick finds every case right on the host") {
    const Command kgen;
    const CommandResult result =
        kgen.run({"bench", "--quick", "--output", "bench.json", "--svg", "shares.svg", "--json"});
    INFO(result.messages);
    REQUIRE(result.exit_status == 0);
    const json report = json::parse(result.output);
    CHECK(report == json::parse(Command::read(kgen.path("bench.json"))));
    CHECK(report["schema"] == 1);
    CHECK(report["device"] == "host");
    CHECK(report["quick"] == true);
    CHECK(report["limits"]["copy_gb_per_s"] > 0);
    std::set<std::string> families;
    for (const json& row : report["rows"]) {
        INFO(row.dump());
        CHECK(row["correct"] == true);
        CHECK(row["result"] == "right");  // the host has no targets
        CHECK(row["median_ms"] > 0);
        CHECK(row["low_ms"] <= row["median_ms"]);
        CHECK(row["median_ms"] <= row["high_ms"]);
        families.insert(row["family"]);
    }
    CHECK(families == std::set<std::string>{"broadcast",
                                            "contiguous",
                                            "copies",
                                            "joins",
                                            "misaligned",
                                            "noise",
                                            "permuted",
                                            "reduce-axes",
                                            "reduce-columns",
                                            "reduce-full",
                                            "reduce-rows",
                                            "transposed",
                                            "views"});
    REQUIRE(report["first_calls"].size() == 9);
    CHECK(report["first_calls"][1]["what"] == "first call, warm cache");
    CHECK(report["first_calls"][4]["what"] == "reduction: first call, warm cache");
    for (const std::size_t cold : {0, 3}) {
        CHECK(report["first_calls"][cold + 1]["median_ms"] <
              report["first_calls"][cold]["median_ms"]);
    }
    REQUIRE(report["transfers"].size() == 1);
    CHECK(report["transfers"][0]["name"] == ".npy of 1 MB, vs cat");
    CHECK(report["transfers"][0]["kgen_ms"] > 0);
    CHECK(report["transfers"][0]["bare_ms"] > 0);
    CHECK(report["transfers"][0]["problem"] == "");
    CHECK(report["transfers"][0]["result"] != "WRONG");
    CHECK(report["same_bits"].size() > 5);
    for (const json& row : report["same_bits"]) {
        INFO(row.dump());
        CHECK(row["runs"] == 100);
        CHECK(row["same"] == true);
    }
    CHECK(report["host_loops"].size() > 5);
    for (const json& row : report["host_loops"]) {
        INFO(row.dump());
        CHECK(row["correct"] == true);
        CHECK(row["kgen_ms"] > 0);
        CHECK(row["ahead_ms"] > 0);
    }
    CHECK(report["host_loops"].back()["name"] == "sums of columns 160 x 200");
    CHECK(is_well_formed(Command::read(kgen.path("shares.svg"))));
}

TEST_CASE("kgen bench runs the cases and families that are named") {
    const Command kgen;
    const CommandResult result = kgen.run({"bench", "--quick", "views", "fill_f32_2^28"});
    INFO(result.output << result.messages);
    CHECK(result.exit_status == 0);
    CHECK(count(result.output, "  right\n") == 8);
    CHECK(result.output.find("\nfill_f32_2^28 ") < result.output.find("\nstrided2_axpb_f32 "));
    CHECK(result.output.find("\nlimits in GB/s: copy ") != std::string::npos);
    CHECK(result.output.find("quick: tiny arrays, so the times mean nothing\n") !=
          std::string::npos);
}

TEST_CASE("kgen bench draws the peers' shares beside kgen's") {
    const Command kgen;
    std::ofstream(kgen.path("peers.json"))
        << R"({"rows": [{"case": "fill_f32_2^28", "peer": "a < \"b\" & c", "ms": 1, "frac": 0.5},
                        {"case": "fill_f32_2^28", "peer": "other", "ms": 1, "frac": 0.7},
                        {"case": "axpb_f32_2^28", "peer": "third", "ms": 1, "frac": 0.7}]})";
    const CommandResult result = kgen.run(
        {"bench", "--quick", "fill_f32_2^28", "--peers", "peers.json", "--svg", "shares.svg"});
    INFO(result.messages);
    CHECK(result.exit_status == 0);
    const std::string picture = Command::read(kgen.path("shares.svg"));
    CHECK(is_well_formed(picture));
    CHECK(count(picture, "<svg ") == 1);
    CHECK(count(picture, "<circle ") == 4);  // two in the legend, two in the row
    CHECK(count(picture, "a &lt; &quot;b&quot; &amp; c") == 1);
    CHECK(count(picture, "third") == 0);
    CHECK(count(picture, ">fill_f32_2^28</text>") == 1);
}

#ifdef KGEN_FAKE_CUDA
TEST_CASE("kgen bench on a GPU that computes nothing says that results are wrong") {
    Command kgen;
    kgen.environment["KGEN_DEVICE"] = "cuda";
    kgen.environment["KGEN_CUDA_PATH"] = KGEN_FAKE_CUDA;
    kgen.environment["FAKE_CUDA_READS_CODE"] = "1";
    if (kgen.run({"doctor"}).output.find("found    NVRTC: ") == std::string::npos) {
        WARN("skipped: this test needs NVRTC");
        return;
    }
    const CommandResult result = kgen.run_line(
        "bench --quick --log2 10 sqdiff_f32_2^10_cold add_u8_2^28 permute5d_f32 --output "
        "bench.json");
    INFO(result.output);
    CHECK(result.messages == "");
    CHECK(result.exit_status == 1);
    const json report = json::parse(Command::read(kgen.path("bench.json")));
    REQUIRE(report["rows"].size() == 3);
    for (const json& row : report["rows"]) {
        INFO(row.dump());
        CHECK(row["result"] == "WRONG");
        CHECK(row["correct"] == false);
        CHECK(row["median_ms"] == 1.5);  // elapsed time of every pair of the fake driver's events
    }
    CHECK(count(result.output, "WRONG: elements that were not written, or writes outside\n") == 2);
    CHECK(report["limits"]["write_memset_gb_per_s"] > 0);
    const CommandResult copies = kgen.run({"bench", "--quick", "transfer", "--json"});
    CHECK(copies.messages == "");
    CHECK(copies.exit_status == 0);
    const json transfers = json::parse(copies.output)["transfers"];
    REQUIRE(transfers.size() == 4);
    CHECK(transfers[0]["name"] == "to the GPU, pinned, 64 KiB");
    CHECK(transfers[1]["name"] == "from the GPU, pinned, 64 KiB");
    for (const json& row : transfers) {
        INFO(row.dump());
        CHECK(row["speed"] == 1.0);
        CHECK(row["result"] == (row["least_speed"].is_null() ? "right" : "ok"));
    }
    const CommandResult alone = kgen.run({"bench", "--quick", "gpu-to-gpu"});
    CHECK(alone.messages ==
          "kgen: gpu-to-gpu needs two GPUs that can access each other's memory: cuda:0 has no such "
          "peer\n");
    CHECK(alone.exit_status == 5);
    const CommandResult calls = kgen.run({"bench", "--quick", "call"});
    CHECK(calls.messages ==
          "kgen: a launch of the call benchmark gave a wrong result\n"
          "kgen: 'kgen bench --measure call --device cuda:0' ended with status 1\n");
    CHECK(calls.exit_status == 1);
}

TEST_CASE("kgen bench copies between two GPUs that can access each other's memory", "[peer]") {
    Command kgen;
    kgen.environment["KGEN_DEVICE"] = "cuda:1";
    kgen.environment["KGEN_CUDA_PATH"] = KGEN_FAKE_CUDA;
    kgen.environment["FAKE_CUDA_DEVICES"] = "3";
    kgen.environment["FAKE_CUDA_PEERS"] = "01 12 21";
    const CommandResult result = kgen.run({"bench", "--quick", "gpu-to-gpu", "--json"});
    CHECK(result.messages == "");
    CHECK(result.exit_status == 0);
    const json rows = json::parse(result.output)["transfers"];
    REQUIRE(rows.size() == 3);
    CHECK(rows[0]["name"] == "cuda:1 to cuda:2, 64 KiB");
    CHECK(rows[1]["name"] == "cuda:1 from cuda:2, 64 KiB");
    CHECK(rows[2]["name"] == "cuda:1 to and from cuda:2, 64 KiB");
    CHECK(rows[2]["bytes"] == 2 * 65536);
    for (const json& row : rows) CHECK(row["result"] == "ok");
}
#endif

TEST_CASE("kgen bench that is asked for an unknown case lists the known ones") {
    const Command kgen;
    const std::string list = kgen.run({"bench", "--list"}).output;
    CHECK(list.substr(0, 27) == "contiguous: axpb_f32_2^28 s");
    CHECK(list.find("\ncold: sqdiff_f32_2^16_cold sqdiff_f32_2^20_cold sqdiff_f32_2^24_cold "
                    "sumsq_f32_2^12_cold sumsq_f32_2^16_cold sumsq_f32_2^20_cold "
                    "sumsq_f32_2^24_cold\ncall\ngraph\ntransfer\ngpu-to-gpu\nfiles\nfirst-"
                    "call\nhost-loops\n"
                    "bits\n") != std::string::npos);
    const CommandResult near = kgen.run({"bench", "axpb_f32_2^27"});
    CHECK(near.messages ==
          "kgen: unknown case 'axpb_f32_2^27'; did you mean 'axpb_f32_2^28'?\nknown, by family:\n" +
              list);
    CHECK(near.output == "");
    CHECK(near.exit_status == 2);
    const CommandResult far = kgen.run({"bench", "--quick", "views", "everything"});
    CHECK(far.messages == "kgen: unknown case 'everything'\nknown, by family:\n" + list);
    CHECK(far.exit_status == 2);
}

TEST_CASE("kgen bench refuses what it cannot measure or read") {
    struct Wrong {
        std::vector<std::string> arguments;
        const char* message;
        int exit_status;
    };
    const std::vector<Wrong> cases = {
        {{"gpu-to-gpu"},
         "gpu-to-gpu needs two GPUs that can access each other's memory: host has no such peer",
         5},
        {{"cold"}, "cold needs a CUDA device: the host has no driver to compare with", 5},
        {{"views", "call"}, "call needs a CUDA device: the host has no driver to compare with", 5},
        {{"--log2", "18", "sqdiff_f32_2^18_cold"},
         "sqdiff_f32_2^18_cold needs a CUDA device: the host has no driver to compare with",
         5},
        {{"--quick", "views", "--peers", "none.json"}, "none.json: cannot be read", 3},
        {{"--quick", "fill_f32_2^28", "--output", "none/bench.json"},
         "none/bench.json: cannot be written",
         3}};
    const Command kgen;
    for (const Wrong& wrong : cases) {
        std::vector<std::string> arguments = {"bench"};
        arguments.insert(arguments.end(), wrong.arguments.begin(), wrong.arguments.end());
        const CommandResult result = kgen.run(arguments);
        CHECK(result.messages == "kgen: " + std::string(wrong.message) + "\n");
        CHECK(result.exit_status == wrong.exit_status);
    }
    // The middle of the message comes from CLI11 and depends on its version.
    const CommandResult result = kgen.run({"bench", "--log2", "29"});
    const std::string begin = "kgen: --log2: Value 29 not in range ";
    const std::string end = "; see kgen bench --help\n";
    REQUIRE(result.messages.size() > begin.size() + end.size());
    CHECK(result.messages.substr(0, begin.size()) == begin);
    CHECK(result.messages.substr(result.messages.size() - end.size()) == end);
    CHECK(result.messages.find('\n') == result.messages.size() - 1);
    CHECK(result.exit_status == 2);
}
