// SPDX-License-Identifier: MIT
//
// find_or_compile: gets the image of a source from the disk cache or from a compiler. Stage 5 of the pipeline
// (src/README.md).
#pragma once

#include <string>
#include <vector>

#include "device/compiler.hpp"
#include "device/image.hpp"
#include "digest.hpp"
#include "image/process_store.hpp"
#include "store.hpp"

namespace kgen {

// A request for one image: the cache's key and the parts that it was made from.
struct ImageRequest {
    cache::Digest digest;
    std::vector<cache::DigestPart> parts;
    std::vector<std::string> options;  // all that the compiler gets, in order
    bool is_linked = false;            // made by Compiler::linking_producer()
};

// Returns the request of a job: its final source, options, target and symbol. Throws CompileError if the
// compiler refuses an option.
ImageRequest make_request(const CompileJob& job, const Compiler& compiler);

// Returns the request of `job`, given the request `other` of a job that differs only in its architecture,
// `other_arch`. Copies `other` and replaces the target in it, without resolving the options again.
ImageRequest retarget_request(const ImageRequest& other,
                              const std::string& other_arch,
                              const CompileJob& job);

// Returns whether the request of the job contains everything that the image depends on. False if the source
// depends on the time or reads files whose contents are not in the request.
bool is_reproducible(const CompileJob& job);

enum class ImageOrigin { cache, compiler };

struct FoundImage {
    Image image;
    ImageOrigin origin = ImageOrigin::compiler;
    std::string producer_identity;         // of the entry or of the compiler
    cache::Tier tier = cache::Tier::root;  // the kind of place where the entry was found
    std::string path;                      // of the entry's file; empty if compiled
};

// Looks the request up in the store. On a miss, compiles and stores the image. If several processes miss at
// the same time, one compiles and the others wait for it, for a bounded time. On a hit the compiler is not
// opened. An image is not stored if its producer has no identity or its source is not reproducible (__DATE__
// and the like). If no compiler can be identified or KGEN_COMPILE=never, an entry of any producer is used.
// Throws CompileError and DeviceError. Errors of the store are not thrown. A source that was refused in this
// process is refused again without a compile. Thread-safe, but threads that ask for the same image must be
// merged by a FlightTable.
FoundImage find_or_compile(const CompileJob& job,
                           const ImageRequest& request,
                           const Compiler& compiler,
                           cache::Store& store);

// Takes a cached image out of use because the device's driver refused it, and reports this.
void reject_image(const ImageRequest& request,
                  const FoundImage& found,
                  const std::string& reason,
                  cache::Store& store);

// Returns the cached image for a request after verifying it, or nothing on a miss. Never compiles.
cache::FindResult find_image(const ImageRequest& request,
                             const Compiler& compiler,
                             cache::Store& store);

}  // namespace kgen
