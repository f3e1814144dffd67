// SPDX-License-Identifier: MIT
//
// How error messages spell the options and functions that they advise.
#pragma once

#include <cstdint>
#include <kgen/export.hpp>

namespace kgen {

enum class MessageSpelling : std::uint8_t {
    cpp,      // "pass size(n)": the default
    command,  // "give --size N": the options of the command kgen
};

// Chooses the spelling for all messages of this process. Thread-safe.
KGEN_EXPORT void set_message_spelling(MessageSpelling spelling) noexcept;

}  // namespace kgen
