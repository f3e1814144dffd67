// SPDX-License-Identifier: MIT
#include "image/find_or_compile.hpp"

#include <algorithm>
#include <chrono>
#include <kgen/error.hpp>
#include <string_view>

#include "image/image_entry.hpp"
#include "text/log.hpp"
#include "text/milliseconds_since.hpp"
#include "text/source_scan.hpp"

namespace kgen {

namespace {

// Raised when the meaning of a field changes, so that old entries are not found.
constexpr std::uint32_t request_schema = 1;

const Producer& producer_of(const ImageRequest& request, const Compiler& compiler) {
    return request.is_linked ? compiler.linking_producer() : compiler.producer();
}

// The producer to look for, or nothing where no compiler can be identified: then any will do.
std::optional<std::string> identify(const ImageRequest& request, const Compiler& compiler) {
    try {
        const Producer& producer = producer_of(request, compiler);
        if (!producer.identity.empty()) return producer.identity;
    } catch (const DeviceError&) {
        // Said when something has to be compiled.
    }
    return std::nullopt;
}

// Fields that generated kernels do not have stay out of their keys.
void add_raw_fields(cache::DigestBuilder& builder, const CompileJob& job) {
    std::vector<std::string> linked;
    for (const ModuleSource& source : job.linked_sources) {
        linked.push_back(source.name);
        linked.push_back(source.text);
    }
    builder.add(5, "kind", "raw");
    builder.add_list(6, "names", job.name_expressions);
    builder.add_list(7, "linked", linked);
}

}  // namespace

bool is_reproducible(const CompileJob& job) {
    const bool is_read = job.included_digest.empty();
    const auto is_known = [&](const std::string& text) {
        return !depends_on_time(text, job.options) && !(is_read && reads_files(text, job.options));
    };
    // Who made the digest has looked at the headers: they may be many and long.
    return is_known(job.source) &&
           std::ranges::all_of(job.linked_sources, is_known, &ModuleSource::text) &&
           (!is_read || std::ranges::all_of(job.headers, is_known, &Header::text));
}

ImageRequest make_request(const CompileJob& job, const Compiler& compiler) {
    ImageRequest request;
    request.options = compiler.resolve_options(job);
    cache::DigestBuilder builder(request_schema);
    builder.add(1, "source", job.source);
    builder.add(2, "symbol", job.symbol);
    builder.add_list(3, "options", request.options);
    builder.add(4, "target", job.target.arch);
    if (job.kind == SourceKind::raw) add_raw_fields(builder, job);
    if (!job.included_digest.empty()) builder.add(8, "included", job.included_digest);
    request.is_linked = !job.linked_sources.empty();
    request.digest = builder.digest();
    request.parts = builder.parts();
    return request;
}

cache::FindResult find_image(const ImageRequest& request,
                             const Compiler& compiler,
                             cache::Store& store) {
    const std::optional<std::string> identity = identify(request, compiler);
    if (!identity) return store.find(request.digest);
    return store.find(request.digest, *identity);
}

FoundImage find_or_compile(const CompileJob& job,
                           const ImageRequest& request,
                           const Compiler& compiler,
                           cache::Store& store) {
    const auto start = std::chrono::steady_clock::now();
    const bool reproducible = is_reproducible(job);
    if (reproducible) {
        if (cache::FindResult found = find_image(request, compiler, store)) {
            std::string why_not;
            if (std::optional<Image> image = read_entry(job, *found.entry, why_not)) {
                log().debug("hit: kernel '{}' for {}: {} ({:.2f} ms)",
                            job.kernel,
                            job.target.arch,
                            found.path,
                            milliseconds_since(start));
                return {std::move(*image), ImageOrigin::cache, found.entry->producer_identity};
            }
            store.reject(request.digest, found.entry->producer_identity, why_not);
        } else {
            log().debug(
                "miss: kernel '{}' for {}: {}", job.kernel, job.target.arch, to_text(found.reason));
        }
    }
    FoundImage made;
    made.image = compiler.compile(job);
    const Producer& producer = producer_of(request, compiler);
    made.producer_identity = producer.identity;
    log().debug("compile: kernel '{}' for {}: {:.1f} ms by {}",
                job.kernel,
                job.target.arch,
                made.image.compile_ms,
                producer.name);
    if (!reproducible || producer.identity.empty()) {
        log().debug("not stored: kernel '{}': its {} cannot be identified",
                    job.kernel,
                    producer.identity.empty() ? "compiler" : "included files or time");
    } else if (store.put(make_entry(job, request.digest, request.parts, producer, made.image))) {
        log().debug("store: kernel '{}': {}",
                    job.kernel,
                    store.entry_path(request.digest, producer.identity));
    }
    return made;
}

cache::Store& process_store() {
    // Never destroyed: threads that outlive main may still store.
    static auto* store = [] {
        cache::StoreSettings settings = cache::resolve_settings();
        settings.warn = [](const std::string& text) { log().warn("{}", text); };
        return new cache::Store(std::move(settings));
    }();
    return *store;
}

}  // namespace kgen
