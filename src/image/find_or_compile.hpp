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
#include "image/process_store.hpp"
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

// The request of the same job for another architecture of the same kind of device: `job` has it already,
// `other` is the request of the first. What a compiler is given differs in the target alone.
ImageRequest retarget_request(const ImageRequest& other,
                              const std::string& other_arch,
                              const CompileJob& job);

// Whether the request names everything that the image depends on: false for a source that reads files
// nobody looked at, or the time.
bool is_reproducible(const CompileJob& job);

enum class ImageOrigin { cache, compiler };

struct FoundImage {
    Image image;
    ImageOrigin origin = ImageOrigin::compiler;
    std::string producer_identity;         // of the entry, or of the compiler
    cache::Tier tier = cache::Tier::root;  // where the entry was
    std::string path;
};

// Looks the request up in the store and compiles on a miss, then stores what was made. Of the
// processes that miss at the same time one compiles and the others wait for it, for a bounded time.
// The compiler is not opened on a hit. What has no producer identity, or a source with __DATE__ or
// the like, is not stored. Where no compiler can be identified, or none is to be used
// (KGEN_COMPILE=never), an entry of any producer serves.
// Throws CompileError and DeviceError; trouble with the store never stops it. A source that was
// refused in this process is refused again without a compile. Thread safe; threads that ask for the
// same are to be merged by a FlightTable.
FoundImage find_or_compile(const CompileJob& job,
                           const ImageRequest& request,
                           const Compiler& compiler,
                           cache::Store& store);

// Takes a cached image out of use that the device's driver refused, and says so.
void reject_image(const ImageRequest& request,
                  const FoundImage& found,
                  const std::string& reason,
                  cache::Store& store);

// What the cache has for a request, read and verified; nothing is compiled.
cache::FindResult find_image(const ImageRequest& request,
                             const Compiler& compiler,
                             cache::Store& store);

}  // namespace kgen
