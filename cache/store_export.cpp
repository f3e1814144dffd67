// SPDX-License-Identifier: MIT
#include "store_export.hpp"

#include <set>
#include <string>
#include <utility>

#include "entry_file.hpp"
#include "pack_file.hpp"
#include "store_scan.hpp"

namespace kgen::cache {

namespace {

class Collector {
public:
    Collector(int root, TrustMode trust, const std::function<bool(const Entry&)>& is_wanted)
        : root_(root), trust_(trust), is_wanted_(is_wanted) {}

    CollectedEntries collect() {
        const StoreScan scan = scan_entries(root_);
        result_.error = scan.error;
        // The scan lists packs after entry files.
        for (const StoredFile& file : scan.files) {
            if (file.kind == FileKind::pack) {
                add_pack(file.path);
            } else if (const auto request = request_of_path(file.path)) {
                take(read_entry_file(root_, file.path, *request, nullptr, trust_).entry);
            }
        }
        return std::move(result_);
    }

private:
    void add_pack(const std::string& path) {
        const OpenedPack pack = open_pack(root_, path, trust_, KeepFile::yes);
        if (pack.reader == nullptr) {
            ++result_.unusable;
            return;
        }
        const PackIndex& index = pack.reader->index();
        for (std::size_t k = 0; k < index.size(); ++k) {
            take(pack.reader->find(index.request(k), index.producer(k)).entry);
        }
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
