// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "support/command.hpp"

using nlohmann::json;

TEST_CASE("kgen cache path prints the directory of the cache") {
    Command kgen;
    const CommandResult result = kgen.run({"cache", "path"});
    CHECK(result.output == kgen.path("cache") + "\n");
    CHECK(result.messages == "");
    CHECK(result.exit_status == 0);
    CHECK(json::parse(kgen.run({"cache", "path", "--json"}).output) ==
          json({{"schema", 1}, {"path", kgen.path("cache")}}));
}

TEST_CASE("kgen doctor says what is found, what is ready and which settings are set") {
    Command kgen;
    kgen.environment["KGEN_HOST_THREADS"] = "1";
    const CommandResult result = kgen.run({"doctor", "--device", "host"});
    INFO(result.output << result.messages);
    CHECK(result.exit_status == 0);
    CHECK(result.output.find("found    host compiler: ") != std::string::npos);
    CHECK(result.output.find("found    cache directory: " + kgen.path("cache") + " ") !=
          std::string::npos);
    CHECK(result.output.find("\ndefault  host\nset      KGEN_CACHE_DIR=" + kgen.path("cache") +
                             "\nset      KGEN_DEVICE=host\nset      KGEN_HOST_THREADS=1\n") !=
          std::string::npos);
}

TEST_CASE("kgen doctor names the libraries between ranks, and does not fail if one is missing") {
    Command kgen;
    kgen.environment["KGEN_MPI_PATH"] = "/nonexistent/libmpi.so.40";
    const CommandResult result = kgen.run({"doctor", "--device", "host"});
    INFO(result.output << result.messages);
    CHECK(result.output.find(" NCCL: ") != std::string::npos);
    CHECK(result.output.find(
              "missing  MPI: no MPI: KGEN_MPI_PATH='/nonexistent/libmpi.so.40' cannot be opened") !=
          std::string::npos);
    CHECK(result.output.find("\n         fix: set it to the file of libmpi.so.40\n") !=
          std::string::npos);
    CHECK(result.exit_status == 0);
}

TEST_CASE("kgen doctor --json prints one object") {
    const Command kgen;
    const json object = json::parse(kgen.run({"doctor", "--json"}).output);
    CHECK(object["schema"] == 1);
    CHECK(object["default_device"] == "host");
    CHECK(object["settings"] ==
          json({{"KGEN_CACHE_DIR", kgen.path("cache")}, {"KGEN_DEVICE", "host"}}));
    CHECK(object["ready"].back() == "host");
    for (const json& finding : object["findings"]) {
        INFO(finding.dump());
        CHECK(!finding["detail"].get<std::string>().empty());
        CHECK(finding["remedy"].get<std::string>().empty() == finding["found"].get<bool>());
    }
}

TEST_CASE("kgen doctor ends with status 1 if the device cannot compile and run") {
    Command kgen;
    CHECK(kgen.run({"doctor", "--device", "cuda:99"}).exit_status == 1);
    kgen.environment["KGEN_HOST_CXX"] = "/nonexistent/c++";
    const CommandResult result = kgen.run({"doctor", "--device", "host"});
    INFO(result.output);
    CHECK(result.output.find("missing  host compiler: ") != std::string::npos);
    CHECK(result.output.find("\n         fix: ") != std::string::npos);
    CHECK(result.exit_status == 1);
}

TEST_CASE("kgen cache path ends with status 1 where the cache is off") {
    Command kgen;
    kgen.environment["KGEN_CACHE"] = "off";
    const CommandResult result = kgen.run({"cache", "path"});
    CHECK(result.output == "");
    CHECK(result.messages == "kgen: there is no cache directory; kgen doctor prints the reason\n");
    CHECK(result.exit_status == 1);
}
