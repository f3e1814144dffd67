// SPDX-License-Identifier: MIT
#include "shard/rendezvous.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <kgen/error.hpp>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <vector>

#include "files/input_file.hpp"
#include "files/replacement_file.hpp"
#include "shard/deadline.hpp"

namespace kgen {

namespace {

// The first word of the files, which are text: "kgen-rank SIZE NUMBER" and "kgen-answer SIZE ID RANK:NUMBER ...".
constexpr const char* rank_magic = "kgen-rank-1";
constexpr const char* answer_magic = "kgen-answer-1";
constexpr std::uint64_t longest_file = 1 << 20;

std::string path_of_rank(const std::string& path, int rank) {
    return fmt::format("{}.{}", path, rank);
}

void write_file(const std::string& path, const std::string& text) {
    try {
        ReplacementFile file(path);
        file.write(text.data(), text.size());
        file.commit();
    } catch (const IoError& error) {
        throw CommunicationError(fmt::format(
            "the rendezvous file '{}' cannot be written: {}; set KGEN_RENDEZVOUS_FILE to a path "
            "that all ranks can write",
            path,
            error.what()));
    }
}

// Returns the words of the file, or nothing if it is not there or is not of this kind.
std::vector<std::string> read_words(const std::string& path, const char* magic) {
    try {
        const InputFile file(path, "");
        if (file.size_bytes() > longest_file) return {};
        std::istringstream text(file.read_text(0, file.size_bytes()));
        std::vector<std::string> words;
        for (std::string word; text >> word;) words.push_back(word);
        if (words.size() < 3 || words[0] != magic) return {};
        return words;
    } catch (const IoError&) {
        return {};
    }
}

void require_size(int got, int rank, const std::string& text, int its_rank) {
    if (text == std::to_string(got)) return;
    throw CommunicationError(
        fmt::format(
            "rank {} says that there are {} ranks, but rank {} says {}; start all ranks with the "
            "same number",
            rank,
            got,
            its_rank,
            text),
        rank,
        its_rank);
}

std::string to_hex(const CommunicatorId& id) {
    std::string text;
    for (const std::byte each : id) text += fmt::format("{:02x}", std::to_integer<unsigned>(each));
    return text;
}

std::optional<CommunicatorId> from_hex(const std::string& text) {
    CommunicatorId id = {};
    if (text.size() != 2 * id.size()) return {};
    for (std::size_t k = 0; k < id.size(); ++k) {
        unsigned value = 0;
        for (const char digit : text.substr(2 * k, 2)) {
            const std::size_t place = std::string_view("0123456789abcdef").find(digit);
            if (place == std::string_view::npos) return {};
            value = value * 16 + static_cast<unsigned>(place);
        }
        id[k] = std::byte(value);
    }
    return id;
}

std::string random_number() {
    std::random_device source;
    return fmt::format("{:08x}{:08x}", source(), source());
}

class RemovedAtEnd {
public:
    explicit RemovedAtEnd(std::string path) : path_(std::move(path)) {}
    ~RemovedAtEnd() { ::unlink(path_.c_str()); }
    RemovedAtEnd(const RemovedAtEnd&) = delete;
    RemovedAtEnd& operator=(const RemovedAtEnd&) = delete;

private:
    std::string path_;
};

}  // namespace

void give_id(const std::string& path,
             const CommunicatorId& id,
             int size,
             std::chrono::milliseconds timeout) {
    const RemovedAtEnd removed(path);
    // A file that an earlier run left was answered, and is there until the rank of this run replaces it. So a rank has
    // come only if its file was answered and is gone.
    std::map<int, std::string> answered;
    Patience patience;
    for (const Deadline deadline(timeout);;) {
        std::vector<int> missing;
        bool is_new = false;
        for (int rank = 1; rank < size; ++rank) {
            const auto words = read_words(path_of_rank(path, rank), rank_magic);
            if (words.empty() && answered.contains(rank)) continue;
            missing.push_back(rank);
            if (words.empty()) continue;
            if (answered[rank] != words[2]) {
                answered[rank] = words[2];
                is_new = true;
            }
        }
        if (missing.empty()) return;
        if (is_new) {
            std::string text = fmt::format("{} {} {}", answer_magic, size, to_hex(id));
            for (const auto& [rank, number] : answered) text += fmt::format(" {}:{}", rank, number);
            write_file(path, text + "\n");
        }
        if (deadline.has_passed()) {
            throw CommunicationError(
                fmt::format("rank 0: rank {} did not come to the rendezvous file '{}' within {} ms",
                            fmt::join(missing, ", "),
                            path,
                            timeout.count()),
                0,
                missing.front());
        }
        patience.pause();
    }
}

CommunicatorId take_id(const std::string& path,
                       int rank,
                       int size,
                       std::chrono::milliseconds timeout) {
    const std::string own = path_of_rank(path, rank);
    const std::string number = random_number();
    const RemovedAtEnd removed(own);
    write_file(own, fmt::format("{} {} {}\n", rank_magic, size, number));
    const std::string wanted = fmt::format("{}:{}", rank, number);
    Patience patience;
    for (const Deadline deadline(timeout);;) {
        const auto words = read_words(path, answer_magic);
        for (std::size_t k = 3; k < words.size(); ++k) {
            if (words[k] != wanted) continue;
            require_size(size, rank, words[1], 0);
            if (const auto id = from_hex(words[2])) return *id;
        }
        if (deadline.has_passed()) {
            throw CommunicationError(
                fmt::format("rank {}: rank 0 did not come to the rendezvous file '{}' within {} ms",
                            rank,
                            path,
                            timeout.count()),
                rank,
                0);
        }
        patience.pause();
    }
}

}  // namespace kgen
