// SPDX-License-Identifier: MIT
//
// make_host_raw_source: surrounds a raw program with the code that runs it on the CPU: the names that are
// built into NVRTC, and an entry point for each kernel.
#pragma once

#include <string>

#include "program/raw_source.hpp"

namespace kgen {

RawSource make_host_raw_source(const RawSourceRequest& request);
std::string make_host_raw_header(const UserText& header, const std::string& program);

// Label of the name expressions in compile errors.
inline constexpr const char* name_expressions_label = "names";

}  // namespace kgen
