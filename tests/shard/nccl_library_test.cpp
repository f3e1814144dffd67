// SPDX-License-Identifier: MIT
#include "shard/nccl_library.hpp"

#include <kgen/communicator.hpp>
#include <kgen/error.hpp>

#include "support/catch.hpp"
#include "support/child_process.hpp"

using namespace kgen;

namespace {

std::string made_id(const char* path, const char* version) {
    return said_by_child([&] {
        ::setenv("KGEN_NCCL_PATH", path, 1);
        ::setenv("FAKE_NCCL_VERSION", version, 1);
        return KGEN_MESSAGE_OF(CommunicationError, Communicator::make_id());
    });
}

}  // namespace

TEST_CASE("NCCL before 2.23 is refused", "[shard]") {
    const std::string message = made_id(KGEN_FAKE_NCCL, "22203");
    CHECK(message.starts_with("NCCL is too old: got 2.22.3 in '"));
    CHECK(
        message.ends_with("libkgen_fake_nccl.so', expected 2.23.0 or newer; install a newer NCCL, "
                          "or set KGEN_NCCL_PATH to its libnccl.so.2"));
    CHECK(made_id(KGEN_FAKE_NCCL, "22304") == "(nothing of type CommunicationError thrown)");
}

TEST_CASE("an NCCL that is missing or is another library is named", "[shard]") {
    CHECK(made_id("/nonexistent/libnccl.so.2", "") ==
          "no NCCL: KGEN_NCCL_PATH='/nonexistent/libnccl.so.2' cannot be opened: "
          "/nonexistent/libnccl.so.2: cannot open shared "
          "object file: No such file or directory; set it to the file of libnccl.so.2");
    CHECK(made_id("libm.so.6", "")
              .find("libm.so.6' is not NCCL, or too old: it has no ncclGetVersion; set "
                    "KGEN_NCCL_PATH to "
                    "another file") != std::string::npos);
}

TEST_CASE("inspect_communication() tells what is found, or why not and the remedy", "[shard]") {
    const auto inspected = [](const char* version) {
        return said_by_child([&] {
            ::setenv("KGEN_NCCL_PATH", KGEN_FAKE_NCCL, 1);
            ::setenv("FAKE_NCCL_VERSION", version, 1);
            ::setenv("KGEN_MPI_PATH", "/nonexistent/libmpi.so", 1);
            std::string text;
            for (const Finding& finding : inspect_communication())
                text += finding.subject + (finding.found ? " found: " : " missing: ") +
                        finding.detail + "; fix: " + finding.remedy + "\n";
            return text;
        });
    };
    const std::string path = std::string(KGEN_FAKE_NCCL);
    const std::string mpi =
        "MPI missing: no MPI: KGEN_MPI_PATH='/nonexistent/libmpi.so' cannot be opened: "
        "/nonexistent/libmpi.so: cannot open "
        "shared object file: No such file or directory; fix: set it to the file of libmpi.so.40\n";
    CHECK(inspected("22809") == "NCCL found: NCCL 2.28.9, " + path + "; fix: \n" + mpi);
    CHECK(
        inspected("22200") ==
        "NCCL missing: NCCL is too old: got 2.22.0 in '" + path +
            "', expected 2.23.0 or newer; fix: install a newer NCCL, or set KGEN_NCCL_PATH to its "
            "libnccl.so.2\n" +
            mpi);
}
