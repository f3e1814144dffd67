// SPDX-License-Identifier: MIT
#include "store_export.hpp"

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>
#include <utility>

#include "directory_listing.hpp"
#include "entry_file.hpp"
#include "pack_file.hpp"
#include "pack_reader.hpp"

namespace kgen::cache {

namespace {

class Collector {
public:
    Collector(int root, TrustMode trust, const std::function<bool(const Entry&)>& is_wanted)
        : root_(root), trust_(trust), is_wanted_(is_wanted) {}

    CollectedEntries collect() {
        add_own();
        add_packs();
        return std::move(result_);
    }

private:
    void add_own() {
        for (const std::string& shard : names_in("v1")) {
            if (shard.size() != 2) continue;
            const std::string folder = "v1/" + shard;
            for (const std::string& name : names_in(folder)) {
                // "<62 hex>-<16 hex>.kgc"
                const auto request = Digest::from_hex(shard + name.substr(0, 62));
                if (!request || name.size() != 62 + 1 + 16 + 4 || !name.ends_with(".kgc")) continue;
                take(read_entry_file(root_, folder + '/' + name, *request, nullptr, trust_).entry);
            }
        }
    }

    void add_packs() {
        for (const std::string& name : names_in(pack_folder)) {
            if (!is_pack_file_name(name)) continue;
            OpenedPackFile opened =
                open_pack_file(root_, std::string(pack_folder) + '/' + name, trust_);
            const auto size = static_cast<std::uint64_t>(opened.status.st_size);
            const PackOpening pack = opened.file.is_open()
                                         ? PackReader::open(std::move(opened.file), size)
                                         : PackOpening();
            if (pack.reader == nullptr) {
                ++result_.unusable;
                continue;
            }
            const PackIndex& index = pack.reader->index();
            for (std::size_t k = 0; k < index.size(); ++k) {
                take(pack.reader->find(index.request(k), index.producer(k)).entry);
            }
        }
    }

    // Sorted; nothing where there is no such directory.
    std::vector<std::string> names_in(const std::string& folder) {
        std::vector<std::string> names;
        const int error = list_directory(root_, folder.c_str(), names);
        const bool is_absent = error == ENOENT || error == ENOTDIR || error == ELOOP;
        if (error != 0 && !is_absent && result_.error == 0) result_.error = error;
        std::sort(names.begin(), names.end());
        return names;
    }

    void take(std::optional<Entry> entry) {
        if (!entry) {
            ++result_.unusable;
            return;
        }
        if (!is_wanted_(*entry)) return;
        if (!known_.emplace(entry->request, sha256(entry->producer_identity)).second) return;
        result_.entries.push_back(std::move(*entry));
    }

    const int root_;
    const TrustMode trust_;
    const std::function<bool(const Entry&)>& is_wanted_;
    std::set<std::pair<Digest, Digest>> known_;
    CollectedEntries result_;
};

}  // namespace

CollectedEntries collect_entries(int root,
                                 TrustMode trust,
                                 const std::function<bool(const Entry&)>& is_wanted) {
    return Collector(root, trust, is_wanted).collect();
}

}  // namespace kgen::cache
