// SPDX-License-Identifier: MIT
#include "pack_place.hpp"

#include <utility>

#include "pack_file.hpp"
#include "store_root.hpp"

namespace kgen::cache {

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
    FindResult hit;
    hit.entry = std::move(found.entry);
    hit.path = name_;
    hit.tier = Tier::read_only;
    return hit;
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

}  // namespace kgen::cache
