// SPDX-License-Identifier: MIT
#include "read_only_place.hpp"

#include <utility>

#include "entry_file.hpp"
#include "pack_file.hpp"
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
            return make_hit(std::move(*found.entry), path_ + '/' + path, Tier::read_only);
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

PackPlace::PackPlace(std::string path, TrustMode trust)
    : name_(std::move(path)),
      trust_(trust == TrustMode::any ? TrustMode::any : TrustMode::installed) {}

PackPlace::PackPlace(std::string name, std::span<const std::byte> memory)
    : name_(std::move(name)), memory_(memory) {}

FindResult PackPlace::find(const Digest& request, const Filter& is_wanted) {
    const PackReader* reader = open();
    if (reader == nullptr) return make_miss(MissReason::store_off);
    PackFind found = reader->find(request, {}, is_wanted);
    if (found.problem == PackProblem::unreadable) {
        return make_miss(MissReason::unreadable, name_, error_text(found.error));
    }
    if (found.problem != PackProblem::none) {
        return make_miss(MissReason::damaged, name_, std::string(to_text(found.problem)));
    }
    if (!found.entry) return make_miss(MissReason::absent);
    return make_hit(std::move(*found.entry), name_, Tier::read_only);
}

std::string PackPlace::problem() {
    if (open() != nullptr) return {};
    const std::lock_guard lock(mutex_);
    return problem_;
}

const PackReader* PackPlace::open() {
    const std::lock_guard lock(mutex_);
    if (reader_ != nullptr || !problem_.empty()) return reader_.get();
    if (trust_) {
        open_file(*trust_);
    } else {
        open_memory();
    }
    return reader_.get();
}

void PackPlace::open_memory() {
    PackOpening opening = PackReader::open(memory_);
    reader_ = std::move(opening.reader);
    if (reader_ == nullptr) problem_ = to_text(opening.problem);
}

// Sets problem_ if opening fails permanently.
void PackPlace::open_file(TrustMode trust) {
    const std::size_t slash = name_.rfind('/');
    const std::string folder = slash == 0 ? "/" : name_.substr(0, slash);
    RootResult directory = open_root(folder, trust, CreateRoot::no);
    if (!directory.directory.is_open()) {
        if (!directory.transient) {
            problem_ = directory.absent ? "it does not exist" : std::move(directory.problem);
        }
        return;
    }
    OpenedPack opened =
        open_pack(directory.directory.get(), name_.substr(slash + 1), trust, KeepFile::yes);
    reader_ = std::move(opened.reader);
    if (reader_ == nullptr) {
        problem_ =
            opened.reason == MissReason::absent ? "it does not exist" : std::move(opened.detail);
    }
}

void ReadOnlyPlaces::add(std::unique_ptr<ReadOnlyPlace> place) {
    auto known = std::make_unique<Known>();
    known->place = std::move(place);
    const std::lock_guard lock(mutex_);
    places_.push_back(std::move(known));
    is_empty_ = false;
}

std::vector<ReadOnlyPlaces::Known*> ReadOnlyPlaces::known() const {
    std::vector<Known*> known;
    const std::lock_guard lock(mutex_);
    for (const auto& each : places_) known.push_back(each.get());
    return known;
}

FindResult ReadOnlyPlaces::find(const Digest& request,
                                const std::function<void(const std::string&)>& warn) {
    FindResult first = make_miss(MissReason::absent);
    if (is_empty_) return first;
    const auto is_wanted = [this](const Entry& entry) { return !is_rejected(entry); };
    for (Known* each : known()) {
        FindResult found = each->place->find(request, is_wanted);
        if (found) return found;
        const std::string problem = each->place->problem();
        if (!problem.empty()) {
            if (!each->is_warned_of.exchange(true)) {
                warn("cache: '" + each->place->name() + "' is ignored: " + problem);
            }
        } else if (first.reason == MissReason::absent) {
            first = std::move(found);
        }
    }
    return first;
}

void ReadOnlyPlaces::reject(const Digest& request, const Digest& producer) {
    const std::lock_guard lock(mutex_);
    rejected_.emplace(request, producer);
}

bool ReadOnlyPlaces::is_rejected(const Entry& entry) const {
    const std::lock_guard lock(mutex_);
    return !rejected_.empty() &&
           rejected_.contains({entry.request, sha256(entry.producer_identity)});
}

std::vector<std::pair<std::string, std::string>> ReadOnlyPlaces::problems() const {
    std::vector<std::pair<std::string, std::string>> problems;
    for (const Known* each : known()) {
        problems.emplace_back(each->place->name(), each->place->problem());
    }
    return problems;
}

}  // namespace kgen::cache
