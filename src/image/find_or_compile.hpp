// SPDX-License-Identifier: MIT
//
// find_or_compile: the image of a source, from the disk cache or from a compiler. Stage 5.
#pragma once

#include <string>
#include <vector>

#include "device/compiler.hpp"
#include "device/image.hpp"
#include "digest.hpp"
#include "digest_builder.hpp"
#include "store.hpp"

namespace kgen {

// What an image is asked for by: the cache's key and its parts.
struct ImageRequest {
    cache::Digest digest;
    std::vector<cache::DigestPart> parts;
    std::vector<std::string> options;  // all that the compiler would be given, in order
    bool is_linked = false;            // made by Compiler::linking_producer()
};

// The request of a job: its final source, options, target and symbol. Throws CompileError for an
// option that the compiler refuses.
ImageRequest make_request(const CompileJob& job, const Compiler& compiler);

// Whether the request names everything that the image depends on: false for a source that reads files
// nobody looked at, or the time.
bool is_reproducible(const CompileJob& job);

enum class ImageOrigin { cache, compiler };

struct FoundImage {
    Image image;
    ImageOrigin origin = ImageOrigin::compiler;
    std::string producer_identity;  // of the entry, or of the compiler
};

// Looks the request up in the store and compiles on a miss, then stores what was made. The compiler
// is not opened on a hit. What has no producer identity, or a source with __DATE__ or the like, is
// not stored. Where no compiler can be identified, an entry of any producer serves.
// Throws CompileError and DeviceError; trouble with the store never stops it. Thread safe.
FoundImage find_or_compile(const CompileJob& job,
                           const ImageRequest& request,
                           const Compiler& compiler,
                           cache::Store& store);

// What the cache has for a request, read and verified; nothing is compiled.
cache::FindResult find_image(const ImageRequest& request,
                             const Compiler& compiler,
                             cache::Store& store);

// The store of this process, made on first use from the environment; its warnings go to the log.
cache::Store& process_store();

}  // namespace kgen
