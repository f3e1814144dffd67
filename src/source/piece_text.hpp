// SPDX-License-Identifier: MIT
//
// Rows that several blocks fold in pieces: which piece is a block's, and that it leaves what it has.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace kgen {

inline constexpr std::string_view which_piece =
    "    const unsigned kgen_pieces = kgen_teams.kgen_segment_pieces * "
    "kgen_teams.kgen_slot_pieces;\n"
    "    const long long kgen_output = kgen_block() / kgen_pieces;\n"
    "    const unsigned kgen_piece = kgen_block() % kgen_pieces;\n"
    "    const int kgen_of_segments = kgen_piece / kgen_teams.kgen_slot_pieces;\n"
    "    const int kgen_of_slots = kgen_piece % kgen_teams.kgen_slot_pieces;\n"
    "    const long long kgen_first_segment = kgen_of_segments * "
    "kgen_teams.kgen_segments_each;\n"
    "    const long long kgen_end_segment = kgen_of_segments + 1 == "
    "kgen_teams.kgen_segment_pieces\n"
    "        ? kgen_teams.kgen_segments : kgen_first_segment + "
    "kgen_teams.kgen_segments_each;\n";

// What the block has is left for the last one, which alone goes on.
inline std::string leave_piece(std::string_view indent) {
    return fmt::format(
        "{0}if (kgen_thread() == 0) {{\n"
        "{0}    kgen_left[kgen_piece] = kgen_sums[0].kgen_at;\n"
        "{0}    __threadfence();\n"
        "{0}}}\n"
        "{0}if (!kgen_is_last(kgen_p.kgen_counters + kgen_output, kgen_pieces)) return;\n",
        indent);
}

}  // namespace kgen
