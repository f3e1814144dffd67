// SPDX-License-Identifier: MIT
#include "image/included_files.hpp"

namespace kgen {

IncludedFiles find_included_files(const IncludeRequest& request) {
    IncludedFiles files;
    files.headers = request.headers;
    files.include_directories = request.include_directories;
    return files;
}

std::string explain_missing_header(std::string_view /*log*/,
                                   const IncludeRequest& /*request*/,
                                   const IncludedFiles& /*files*/) {
    return {};
}

}  // namespace kgen
