// SPDX-License-Identifier: MIT
//
// FrozenLaunch: a launch whose kernel, arguments and stream are fixed. A BoundLaunch is a handle to it.
#pragma once

#include <kgen/bound_launch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "device/capture_record.hpp"
#include "memory/memory_check.hpp"
#include "memory/storage.hpp"
#include "memory/texture_memory.hpp"

namespace kgen {

// A launch that is checked and compiled once and can be repeated. It keeps its arrays, its images (textures
// and surfaces) and its stream alive. Thread-safe.
class FrozenLaunch {
public:
    virtual ~FrozenLaunch() = default;
    FrozenLaunch(const FrozenLaunch&) = delete;
    FrozenLaunch& operator=(const FrozenLaunch&) = delete;

    virtual void launch() const = 0;
    virtual NativeLaunch native() const = 0;

    const std::vector<Array>& outputs() const noexcept { return outputs_; }
    const Stream& stream() const noexcept { return stream_; }

protected:
    // Some of the arrays may be empty.
    FrozenLaunch(std::vector<Array> arrays,
                 std::vector<std::shared_ptr<TextureMemory>> images,
                 std::vector<Array> outputs,
                 Stream stream)
        : arrays_(std::move(arrays)),
          images_(std::move(images)),
          outputs_(std::move(outputs)),
          stream_(std::move(stream)) {
        for (const Array& array : arrays_) {
            if (array.has_value() && array.storage()->is_elsewhere(stream_))
                elsewhere_.push_back(array.storage().get());
        }
    }

    // Throws DeviceError on the host. Called by native().
    void require_driver(const std::string& kernel) const;

    // Must be called before each launch. Marks the images, and the arrays whose home stream (see Storage) is
    // another stream, as used on this stream. If the launch is captured, makes the graph an owner of all that
    // it uses, because the graph may run after this object is destroyed.
    void mark_used() const {
        if (CaptureRecord* record = CaptureRecord::of_this_thread()) [[unlikely]]
            keep_for(*record);
        if (checks_pointers()) [[unlikely]]
            check_arrays();
        for (Storage* storage : elsewhere_) storage->used_on(stream_);
        for (const auto& image : images_) image->used_on(stream_);
    }

    // Makes the graph keep what the launch needs besides its arrays and images.
    virtual void keep_own(CaptureRecord& record) const = 0;

private:
    void keep_for(CaptureRecord& record) const;
    void check_arrays() const;

    std::vector<Array> arrays_;
    std::vector<std::shared_ptr<TextureMemory>> images_;
    std::vector<Array> outputs_;
    std::vector<Storage*> elsewhere_;  // storages of `arrays_` whose home stream is another
    Stream stream_;
};

}  // namespace kgen
