// SPDX-License-Identifier: MIT
//
// make_host_raw_source: a program of the user's own with what makes it run on the CPU around it: the names
// that NVRTC has built in, and an entry point for each kernel.
#pragma once

#include <string>

#include "program/raw_source.hpp"

namespace kgen {

RawSource make_host_raw_source(const RawSourceRequest& request);
std::string make_host_raw_header(const UserText& header, const std::string& program);

// What errors in a name expression are said to stand in.
inline constexpr const char* name_expressions_label = "names";

}  // namespace kgen
