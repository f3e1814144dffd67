// SPDX-License-Identifier: MIT
//
// read_program_file: what a module's file holds: a source, or compiled code.
#pragma once

#include <string>

#include "api/raw_definition.hpp"

namespace kgen {

// Adds the file to the definition: a source as its text, with the file's directory searched first for
// what it includes; compiled code, told by its content, as an image. Throws IoError for a file that
// cannot be read or is damaged.
void read_program_file(const std::string& path, RawDefinition& definition);

}  // namespace kgen
