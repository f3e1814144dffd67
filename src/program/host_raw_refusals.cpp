// SPDX-License-Identifier: MIT
#include "program/host_raw_refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <kgen/error.hpp>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "text/excerpt.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

enum class Match : std::uint8_t { word, prefix };

struct Refused {
    std::string_view word;
    Match match;
    std::string_view what;
};

constexpr std::string_view textures = "textures";
constexpr std::string_view surfaces = "surfaces";
constexpr std::string_view matrices = "tensor core instructions";
constexpr std::string_view groups = "cooperative groups";
constexpr std::string_view copies = "asynchronous copies and their barriers";
constexpr std::string_view clusters = "clusters of blocks";
constexpr std::string_view launches = "launches from a kernel";

constexpr std::array refused_words = {
    Refused{"asm", Match::word, "inline PTX"},
    Refused{"__asm", Match::word, "inline PTX"},
    Refused{"__asm__", Match::word, "inline PTX"},
    Refused{"cudaTextureObject_t", Match::word, textures},
    Refused{"tex1D", Match::prefix, textures},
    Refused{"tex2D", Match::prefix, textures},
    Refused{"tex3D", Match::prefix, textures},
    Refused{"texCubemap", Match::prefix, textures},
    Refused{"cudaSurfaceObject_t", Match::word, surfaces},
    Refused{"surf1D", Match::prefix, surfaces},
    Refused{"surf2D", Match::prefix, surfaces},
    Refused{"surf3D", Match::prefix, surfaces},
    Refused{"surfCubemap", Match::prefix, surfaces},
    Refused{"nvcuda", Match::word, matrices},
    Refused{"wmma", Match::word, matrices},
    Refused{"__hmma_", Match::prefix, matrices},
    Refused{"__imma_", Match::prefix, matrices},
    Refused{"__bmma_", Match::prefix, matrices},
    Refused{"__dmma_", Match::prefix, matrices},
    Refused{"cooperative_groups", Match::word, groups},
    Refused{"__mbarrier_", Match::prefix, copies},
    Refused{"__pipeline_", Match::prefix, copies},
    Refused{"__cluster", Match::prefix, clusters},
    Refused{"cudaLaunchDevice", Match::prefix, launches},
    Refused{"cudaDeviceSynchronize", Match::word, launches},
};
constexpr std::array<std::string_view, 7> unmasked_functions = {
    "__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot"};

// Folders and file name prefixes of the toolkit. Headers that kgen replaces are not refused, because they
// are among the `headers` that were found.
constexpr std::array<std::string_view, 9> toolkit_folders = {
    "cub/", "thrust/", "cuda/", "nv/", "cooperative_groups/", "crt/", "cutlass/", "cute/", "cccl/"};
constexpr std::array<std::string_view, 14> toolkit_prefixes = {"cooperative_groups.h",
                                                               "cuda.h",
                                                               "cuda_awbarrier",
                                                               "cuda_bf16.h",
                                                               "cuda_device_runtime_api.h",
                                                               "cuda_fp",
                                                               "cuda_pipeline",
                                                               "cuda_runtime",
                                                               "cuComplex.h",
                                                               "curand",
                                                               "math_functions",
                                                               "mma.h",
                                                               "surface_",
                                                               "texture_"};
// The prelude already declares what these headers declare.
constexpr std::array<std::string_view, 7> built_in_headers = {"cuda_runtime.h",
                                                              "cuda_runtime_api.h",
                                                              "device_functions.h",
                                                              "device_launch_parameters.h",
                                                              "math_constants.h",
                                                              "vector_functions.h",
                                                              "vector_types.h"};

const Refused* find_refused(std::string_view word) {
    const auto* found = std::find_if(refused_words.begin(), refused_words.end(), [&](auto& each) {
        return each.match == Match::word ? word == each.word : word.starts_with(each.word);
    });
    return found == refused_words.end() ? nullptr : found;
}

bool is_toolkit_header(std::string_view name) {
    return starts_with_one_of(name, toolkit_folders) || starts_with_one_of(name, toolkit_prefixes);
}

}  // namespace

bool is_built_in_header(std::string_view name) {
    return is_one_of(name, built_in_headers);
}

namespace {

class Finder {
public:
    Finder(const std::string& program, const UserText& text, const ScannedProgram& scanned)
        : program_(program), text_(text), scanned_(scanned), tokens_(scanned.tokens.tokens) {
        for (std::size_t k = 0; k < tokens_.size(); ++k) {
            if (scanned_.uses[k] != TokenUse::skipped) ++counts_[tokens_[k].text];
        }
    }

    void run(const std::vector<std::string>& headers) const {
        check_includes(headers);
        for (std::size_t k = 0; k < tokens_.size(); ++k) {
            if (scanned_.uses[k] == TokenUse::skipped) continue;
            if (scanned_.uses[k] == TokenUse::directive && is_unused_macro(k)) {
                while (k + 1 < tokens_.size() && !tokens_[k + 1].starts_line) ++k;
                continue;
            }
            check_word(k);
            check_launch(k);
        }
    }

private:
    std::string_view text(std::size_t k) const {
        return k < tokens_.size() ? tokens_[k].text : std::string_view();
    }

    [[noreturn]] void refuse(std::size_t offset,
                             std::size_t length,
                             std::string_view what,
                             std::string_view remedy = {}) const {
        const TextPosition position = position_of(text_.text, offset);
        throw CompileError(
            fmt::format("program '{}': the host device cannot run {}: {}({}:{}){}\n{}",
                        program_,
                        what,
                        text_.label,
                        position.line,
                        position.column,
                        excerpt(text_.text, offset, length),
                        remedy.empty() ? "run it on a GPU (KGEN_DEVICE=cuda), or exclude it on the "
                                         "host with #ifndef KGEN_ON_HOST"
                                       : remedy),
            "",
            text_.text);
    }
    [[noreturn]] void refuse(std::size_t k,
                             std::string_view what,
                             std::string_view remedy = {}) const {
        refuse(tokens_[k].offset, tokens_[k].text.size(), what, remedy);
    }

    void check_includes(const std::vector<std::string>& headers) const {
        const std::set<std::string_view> known(headers.begin(), headers.end());
        for (const ScannedInclude& include : scanned_.includes) {
            if (known.count(include.name) != 0) continue;
            if (is_toolkit_header(include.name) && !is_built_in_header(include.name)) {
                refuse(include.begin, include.end - include.begin, "headers of the CUDA toolkit");
            }
        }
    }

    // Whether the macro defined at k is never used in the text. It is not checked, because texts often define
    // many macros and use few.
    bool is_unused_macro(std::size_t k) const {
        if (!tokens_[k].starts_line || text(k + 1) != "define" || k + 2 >= tokens_.size())
            return false;
        const auto found = counts_.find(tokens_[k + 2].text);
        return found == counts_.end() || found->second == 1;
    }

    void check_word(std::size_t k) const {
        const Token& token = tokens_[k];
        if (token.kind != TokenKind::identifier) return;
        if (const Refused* refused = find_refused(token.text)) {
            if (refused->what == "inline PTX" && is_empty_asm(k)) return;
            refuse(k, refused->what);
        }
        if (token.text == "texture" && text(k + 1) == "<") refuse(k, textures);
        if (token.text == "surface" && text(k + 1) == "<") refuse(k, surfaces);
        const bool is_call = text(k + 1) == "(" && (k == 0 || text(k - 1) != "define");
        if (is_call && is_one_of(token.text, unmasked_functions)) {
            refuse(k,
                   "warp functions without a mask",
                   fmt::format("newer GPUs do not support them either: call {}_sync with a mask",
                               token.text));
        }
    }

    // asm volatile("" ::: "memory") contains no instruction; it only restricts the compiler.
    bool is_empty_asm(std::size_t k) const {
        ++k;
        while (text(k) == "volatile" || text(k) == "__volatile__" || text(k) == "(") ++k;
        const std::string_view behind = text(k + 1);  // not a second literal, which is joined
        return text(k) == "\"\"" && (behind == ":" || behind == "::" || behind == ")");
    }

    // k<<<grid, block>>>(...)
    void check_launch(std::size_t k) const {
        const auto follows = [&](std::size_t next) {
            return text(next) == "<" && tokens_[next].offset == tokens_[next - 1].offset + 1;
        };
        if (text(k) == "<" && follows(k + 1) && follows(k + 2) &&
            (k == 0 || text(k - 1) != "operator")) {
            refuse(tokens_[k].offset, 3, launches);
        }
    }

    const std::string& program_;
    const UserText& text_;
    const ScannedProgram& scanned_;
    const std::vector<Token>& tokens_;
    std::unordered_map<std::string_view, std::size_t>
        counts_;  // how often each word occurs outside skipped code
};

}  // namespace

void refuse_for_host(const std::string& program,
                     const UserText& text,
                     const ScannedProgram& scanned,
                     const std::vector<std::string>& headers) {
    Finder(program, text, scanned).run(headers);
}

}  // namespace kgen
