// SPDX-License-Identifier: MIT
#include "benchmarks/peers.hpp"

#include <fmt/format.h>

#include <fstream>
#include <kgen/error.hpp>
#include <nlohmann/json.hpp>

namespace kgen::bench {

namespace {

using nlohmann::json;

bool is_peer_row(const json& row) {
    return row.is_object() && row.contains("case") && row["case"].is_string() &&
           row.contains("peer") && row["peer"].is_string() && row.contains("ms") &&
           row["ms"].is_number();
}

}  // namespace

std::vector<PeerRow> read_peers(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw IoError(fmt::format("{}: cannot be read", path));
    const json object = json::parse(file, nullptr, false);
    if (object.is_discarded()) throw IoError(fmt::format("{}: is not JSON", path));
    if (!object.is_object() || !object.contains("rows") || !object["rows"].is_array()) {
        throw IoError(fmt::format("{}: has no list \"rows\" of measurements", path));
    }
    std::vector<PeerRow> peers;
    for (const json& row : object["rows"]) {
        if (!is_peer_row(row)) continue;
        PeerRow peer{row["case"], row["peer"], row["ms"]};
        if (row.contains("frac") && row["frac"].is_number()) peer.share = row["frac"];
        peers.push_back(std::move(peer));
    }
    return peers;
}

const PeerRow* best_share(const std::vector<PeerRow>& peers, std::string_view case_name) {
    const PeerRow* best = nullptr;
    for (const PeerRow& peer : peers) {
        if (peer.case_name != case_name || !peer.share) continue;
        if (best == nullptr || *peer.share > *best->share) best = &peer;
    }
    return best;
}

const PeerRow* fastest(const std::vector<PeerRow>& peers, std::string_view case_name) {
    const PeerRow* best = nullptr;
    for (const PeerRow& peer : peers) {
        if (peer.case_name != case_name) continue;
        if (best == nullptr || peer.ms < best->ms) best = &peer;
    }
    return best;
}

}  // namespace kgen::bench
