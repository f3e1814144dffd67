// SPDX-License-Identifier: MIT
//
// Entries, files and stores for the tests of the cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "entry.hpp"
#include "store.hpp"

namespace kgen::cache {

inline std::vector<std::byte> to_bytes(std::string_view text) {
    const auto bytes = as_bytes(text);
    return {bytes.begin(), bytes.end()};
}

inline constexpr std::string_view sample_producer = "NVRTC 13.0.88 build-id 0123abcd";

inline Entry sample_entry(std::string_view request = "request", std::size_t payload = 40) {
    Entry entry;
    entry.request = sha256(request);
    entry.producer_identity = sample_producer;
    entry.created_s = 1'700'000'000;
    entry.metadata = {{"kernel", "axpy"}, {"symbol", "kgen_axpy"}, {"options", ""}};
    entry.sections = {{section_tag("cubn"), to_bytes(std::string(payload, 'c'))},
                      {section_tag("ptx "), to_bytes(".version 8.8")}};
    return entry;
}

inline std::vector<std::byte> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    return to_bytes(text);
}

inline void write_file(const std::string& path, std::span<const std::byte> bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

// Returns the paths of the regular files below a directory.
inline std::vector<std::string> files_below(const std::string& root) {
    std::vector<std::string> files;
    if (!std::filesystem::exists(root)) return files;
    for (const auto& item : std::filesystem::recursive_directory_iterator(root)) {
        if (item.is_regular_file()) files.push_back(item.path().string());
    }
    return files;
}

// The warnings that a store issued.
class Warnings {
public:
    std::function<void(const std::string&)> sink() {
        return [messages = messages_](const std::string& message) {
            const std::lock_guard lock(messages->mutex);
            messages->texts.push_back(message);
        };
    }
    std::vector<std::string> texts() const {
        const std::lock_guard lock(messages_->mutex);
        return messages_->texts;
    }
    // Returns all warnings, one per line.
    std::string text() const {
        std::string joined;
        for (const std::string& message : texts()) joined += message + '\n';
        return joined;
    }

private:
    struct Messages {
        std::mutex mutex;
        std::vector<std::string> texts;
    };
    std::shared_ptr<Messages> messages_ = std::make_shared<Messages>();
};

inline StoreSettings settings_for(const std::string& root,
                                  Warnings& warnings,
                                  StoreMode mode = StoreMode::read_write,
                                  TrustMode trust = TrustMode::owner) {
    StoreSettings settings;
    settings.mode = mode;
    settings.trust = trust;
    settings.root = root;
    settings.root_source = "KGEN_CACHE_DIR";
    // Without these limits a put may occasionally scan the store for entries to evict.
    settings.max_bytes = UINT64_MAX;
    settings.max_files = UINT64_MAX;
    settings.warn = warnings.sink();
    return settings;
}

}  // namespace kgen::cache
