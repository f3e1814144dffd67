// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <kgen/pack.hpp>
#include <memory>
#include <utility>

#include "image/process_store.hpp"
#include "pack_place.hpp"

namespace kgen {

namespace {

void use(std::unique_ptr<cache::PackPlace> place) {
    const std::string problem = place->problem();
    if (!problem.empty()) throw PackError(fmt::format("{}: {}", place->name(), problem));
    add_to_process_store(std::move(place));
}

}  // namespace

void use_pack(std::span<const std::byte> pack, std::string_view name) {
    use(std::make_unique<cache::PackPlace>(fmt::format("pack {}", name), pack));
}

void use_pack_file(const std::string& path) {
    const std::string absolute = std::filesystem::absolute(path).lexically_normal().string();
    use(std::make_unique<cache::PackPlace>(absolute, process_store_settings().trust));
}

}  // namespace kgen
