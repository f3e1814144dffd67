// SPDX-License-Identifier: MIT
#include "image/find_or_compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <kgen/error.hpp>
#include <optional>
#include <utility>

#include "image/compile_settings.hpp"
#include "image/image_counts.hpp"
#include "image/image_entry.hpp"
#include "image/included_files.hpp"
#include "image/refused_sources.hpp"
#include "text/log.hpp"
#include "text/milliseconds_since.hpp"
#include "text/source_scan.hpp"

namespace kgen {

namespace {

// Raised when the meaning of a field changes, so that old entries are no longer found.
constexpr std::uint32_t request_schema = 2;

// Labels of the fields of a request.
enum : std::uint16_t {
    source_label = 1,
    symbol_label = 2,
    options_label = 3,
    target_label = 4,
    kind_label = 5,
    names_label = 6,
    linked_label = 7,
    included_label = 8,
};

const Producer& producer_of(const ImageRequest& request, const Compiler& compiler) {
    return request.is_linked ? compiler.linking_producer() : compiler.producer();
}

// Returns the producer to look for. Nothing if no compiler can be identified; an entry of any producer is
// then used.
std::optional<std::string> identify(const ImageRequest& request, const Compiler& compiler) {
    try {
        const Producer& producer = producer_of(request, compiler);
        if (!producer.identity.empty()) return producer.identity;
    } catch (const DeviceError&) {
        // Reported when something has to be compiled.
    }
    return std::nullopt;
}

// Fields that only raw programs have. They stay out of the keys of generated kernels.
void add_raw_fields(cache::DigestBuilder& builder, const CompileJob& job) {
    std::vector<std::string> linked;
    for (const ModuleSource& source : job.linked_sources) {
        linked.push_back(source.name);
        linked.push_back(source.text);
    }
    builder.add(kind_label, "kind", "raw");
    builder.add_list(names_label, "names", job.name_expressions);
    builder.add_list(linked_label, "linked", linked);
}

ImageRequest request_of(const CompileJob& job, std::vector<std::string> options) {
    ImageRequest request;
    request.options = std::move(options);
    cache::DigestBuilder builder(request_schema);
    builder.add(source_label, "source", job.source);
    builder.add(symbol_label, "symbol", job.symbol);
    builder.add_list(options_label, "options", request.options);
    builder.add(target_label, "target", job.target.arch);
    if (job.kind == SourceKind::raw) add_raw_fields(builder, job);
    if (!job.included_digest.empty()) builder.add(included_label, "included", job.included_digest);
    request.is_linked = !job.linked_sources.empty();
    request.digest = builder.digest();
    request.parts = builder.parts();
    return request;
}

FoundImage cached_image(Image image, cache::FindResult& hit) {
    return {std::move(image),
            ImageOrigin::cache,
            std::move(hit.entry->producer_identity),
            hit.tier,
            std::move(hit.path)};
}

// One look-up, from the request to the image.
class ImageSearch {
public:
    ImageSearch(const CompileJob& job,
                const ImageRequest& request,
                const Compiler& compiler,
                cache::Store& store)
        : job_(job),
          request_(request),
          compiler_(compiler),
          store_(store),
          is_reproducible_(is_reproducible(job)) {}

    FoundImage run() {
        if (!is_reproducible_) {
            refuse_to_compile();
            return compile();
        }
        if (auto found = use(find_image(request_, compiler_, store_))) return std::move(*found);
        if (!can_compile(compiler_)) {
            if (auto found = find_for_older()) return std::move(*found);
        }
        refuse_to_compile();
        const std::optional<std::string> identity = identify(request_, compiler_);
        if (!identity) return compile();
        const RefusalKey key{request_.digest, *identity, job_.kernel};
        if (const auto known = process_refusals().find(key)) throw CompileError(*known);
        cache::EntryLock lock;  // held until the image is stored
        if (auto found = use(store_.wait_for_turn(request_.digest, *identity, lock))) {
            return std::move(*found);
        }
        try {
            return compile();
        } catch (const CompilerFailure&) {
            throw;  // the next compile of the same source may succeed
        } catch (const CompileError& error) {
            // If there is no compiler log, the machine may be at fault instead of the source.
            if (!error.log().empty()) process_refusals().remember(key, error);
            throw;
        }
    }

private:
    // Returns the image of a hit. Nothing on a miss, or if the entry cannot be used.
    std::optional<FoundImage> use(cache::FindResult found) {
        if (!found) {
            log().debug("miss: kernel '{}' for {}: {}",
                        job_.kernel,
                        job_.target.arch,
                        to_text(found.reason));
            return std::nullopt;
        }
        std::string why_not;
        std::optional<Image> image = read_entry(job_, *found.entry, why_not);
        if (!image) {
            store_.reject(
                request_.digest, found.entry->producer_identity, why_not, found.tier, found.path);
            return std::nullopt;
        }
        log().debug("hit: kernel '{}' for {}: {} ({:.2f} ms)",
                    job_.kernel,
                    job_.target.arch,
                    found.path,
                    milliseconds_since(start_));
        return cached_image(std::move(*image), found);
    }

    // Finds code for an older architecture that the job's device also runs.
    std::optional<FoundImage> find_for_older() const {
        const std::string& arch = job_.target.arch;
        for (std::string& other : compiler_.older_archs(arch)) {
            CompileJob older = job_;
            older.target.arch = std::move(other);
            const ImageRequest request = retarget_request(request_, arch, older);
            cache::FindResult found = store_.find(request.digest);
            std::string why_not;
            if (!found) continue;
            if (std::optional<Image> image = read_entry(older, *found.entry, why_not)) {
                log().debug("hit: kernel '{}' for {} by code for {}: {}",
                            job_.kernel,
                            arch,
                            older.target.arch,
                            found.path);
                return cached_image(std::move(*image), found);
            }
        }
        return std::nullopt;
    }

    void refuse_to_compile() const {
        if (compile_mode() != CompileMode::never) return;
        throw CompileError(
            fmt::format("kernel '{}': there is no image for {} in the cache, and "
                        "KGEN_COMPILE=never forbids compiling (request {})\n"
                        "compile it ahead with 'kgen compile', or unset KGEN_COMPILE",
                        job_.kernel,
                        job_.target.arch,
                        request_.digest.to_hex()),
            "",
            job_.source);
    }

    FoundImage compile() const {
        FoundImage made;
        made.image = call_compiler();
        const Producer& producer = producer_of(request_, compiler_);
        made.producer_identity = producer.identity;
        log().debug("compile: kernel '{}' for {}: {:.1f} ms by {}",
                    job_.kernel,
                    job_.target.arch,
                    made.image.compile_ms,
                    producer.name);
        if (!is_reproducible_ || producer.identity.empty()) {
            log().debug("not stored: kernel '{}': its {} cannot be identified",
                        job_.kernel,
                        producer.identity.empty() ? "compiler" : "included files or time");
        } else if (store_.put(
                       make_entry(job_, request_.digest, request_.parts, producer, made.image))) {
            log().debug("store: kernel '{}': {}",
                        job_.kernel,
                        store_.entry_path(request_.digest, producer.identity));
        }
        return made;
    }

    Image call_compiler() const {
        const CompileSlot slot(process_slots());
        return counted_compile(compiler_, job_);
    }

    const CompileJob& job_;
    const ImageRequest& request_;
    const Compiler& compiler_;
    cache::Store& store_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    const bool is_reproducible_;
};

}  // namespace

bool is_reproducible(const CompileJob& job) {
    const bool is_read = job.included_digest.empty();
    const auto is_known = [&](const std::string& text) {
        return !depends_on_time(text, job.options) && !(is_read && reads_files(text, job.options));
    };
    // A digest means that the headers, which may be many and long, were already checked.
    if (is_read) {
        NamedWords words(assembler_use(job.target.kind));
        words.add(job.options);
        any_user_text(job, [&](const std::string& text) {
            words.add(text);
            return false;
        });
        for (const ModuleSource& source : job.linked_sources) words.add(source.text);
        if (words.may_read_more()) return false;
    }
    return !any_user_text(job, std::not_fn(is_known)) &&
           std::ranges::all_of(job.linked_sources, is_known, &ModuleSource::text) &&
           (!is_read || std::ranges::all_of(job.headers, is_known, &Header::text));
}

ImageRequest make_request(const CompileJob& job, const Compiler& compiler) {
    return request_of(job, compiler.resolve_options(job));
}

ImageRequest retarget_request(const ImageRequest& other,
                              const std::string& other_arch,
                              const CompileJob& job) {
    ImageRequest request{.options = other.options, .is_linked = other.is_linked};
    for (std::string& option : request.options) {
        if (option == "-arch=" + other_arch) option = "-arch=" + job.target.arch;
    }
    cache::DigestBuilder builder(request_schema);
    for (const cache::DigestPart& part : other.parts) {
        if (part.label == options_label) {
            builder.add_list(options_label, part.name, request.options);
        } else if (part.label == target_label) {
            builder.add(target_label, part.name, job.target.arch);
        } else {
            builder.add(part);
        }
    }
    request.digest = builder.digest();
    request.parts = builder.parts();
    return request;
}

cache::FindResult find_image(const ImageRequest& request,
                             const Compiler& compiler,
                             cache::Store& store) {
    const std::optional<std::string> identity = identify(request, compiler);
    if (!identity) return store.find(request.digest);
    cache::FindResult found = store.find(request.digest, *identity);
    if (!found && compile_mode() == CompileMode::never) return store.find(request.digest);
    return found;
}

FoundImage find_or_compile(const CompileJob& job,
                           const ImageRequest& request,
                           const Compiler& compiler,
                           cache::Store& store) {
    return ImageSearch(job, request, compiler, store).run();
}

void reject_image(const ImageRequest& request,
                  const FoundImage& found,
                  const std::string& reason,
                  cache::Store& store) {
    ++image_counts().driver_rejections;
    store.reject(request.digest, found.producer_identity, reason, found.tier, found.path);
}

}  // namespace kgen
