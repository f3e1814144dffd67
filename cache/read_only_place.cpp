// SPDX-License-Identifier: MIT
#include "read_only_place.hpp"

#include <utility>

#include "entry_file.hpp"
#include "pack_file.hpp"
#include "pack_place.hpp"
#include "store_root.hpp"

namespace kgen::cache {

ReadOnlyDirectory::ReadOnlyDirectory(std::string path, TrustMode trust)
    : path_(std::move(path)),
      trust_(trust == TrustMode::any ? TrustMode::any : TrustMode::installed),
      packs_(trust_) {}

std::shared_ptr<const FileDescriptor> ReadOnlyDirectory::open() {
    const std::lock_guard lock(mutex_);
    if (directory_ != nullptr || !problem_.empty()) return directory_;
    RootResult result = open_root(path_, trust_, CreateRoot::no);
    if (result.directory.is_open()) {
        directory_ = std::make_shared<const FileDescriptor>(std::move(result.directory));
    } else if (result.absent) {
        problem_ = "'" + path_ + "' does not exist";
    } else if (!result.transient) {
        problem_ = std::move(result.problem);
    }
    return directory_;
}

FindResult ReadOnlyDirectory::find(const Digest& request, const Filter& is_wanted) {
    const auto directory = open();
    if (directory == nullptr) return make_miss(MissReason::store_off);
    std::vector<std::string> paths;
    if (const int error = list_entry_files(directory->get(), request, paths); error != 0) {
        ReadResult failed = miss_of_errno(error);
        if (failed.reason != MissReason::absent) {
            return make_miss(failed.reason, {}, std::move(failed.detail));
        }
    }
    FindResult first = make_miss(MissReason::absent);
    for (const std::string& path : paths) {
        ReadResult found = read_entry_file(directory->get(), path, request, nullptr, trust_);
        if (found.entry && is_wanted(*found.entry)) {
            FindResult hit;
            hit.entry = std::move(found.entry);
            hit.path = path_ + '/' + path;
            hit.tier = Tier::read_only;
            return hit;
        }
        if (!found.entry && first.reason == MissReason::absent) {
            first = make_miss(found.reason, path_ + '/' + path, std::move(found.detail));
        }
    }
    FindResult packed = find_in_packs(directory->get(), request, is_wanted);
    return packed || first.reason == MissReason::absent ? packed : first;
}

FindResult ReadOnlyDirectory::find_in_packs(int directory,
                                            const Digest& request,
                                            const Filter& is_wanted) {
    FindResult found = packs_.find(directory, request, {}, is_wanted, PackFolder::Renew::no).found;
    if (!found.path.empty()) found.path = path_ + '/' + found.path;
    return found;
}

std::string ReadOnlyDirectory::problem() {
    if (open() != nullptr) return {};
    const std::lock_guard lock(mutex_);
    return problem_;
}

std::unique_ptr<ReadOnlyPlace> make_read_only_place(const std::string& path, TrustMode trust) {
    if (path.ends_with(pack_suffix)) return std::make_unique<PackPlace>(path, trust);
    return std::make_unique<ReadOnlyDirectory>(path, trust);
}

}  // namespace kgen::cache
