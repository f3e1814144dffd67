// SPDX-License-Identifier: MIT
#include <kgen/communicator.hpp>
#include <kgen/error.hpp>

#include "shard/mpi_library.hpp"
#include "shard/nccl_library.hpp"

namespace kgen {

namespace {

// A message of a library that is missing ends with the remedy, after the last "; ".
template <typename Describe>
Finding inspect(const char* subject, Describe describe) {
    Finding finding{.subject = subject};
    try {
        finding.detail = describe();
        finding.found = true;
    } catch (const std::exception& error) {
        finding.detail = error.what();
        const std::size_t remedy = finding.detail.rfind("; ");
        if (remedy != std::string::npos) {
            finding.remedy = finding.detail.substr(remedy + 2);
            finding.detail.resize(remedy);
        }
    }
    return finding;
}

}  // namespace

std::vector<Finding> inspect_communication() {
    return {inspect("NCCL", NcclLibrary::description), inspect("MPI", MpiLibrary::description)};
}

}  // namespace kgen
