// SPDX-License-Identifier: MIT
//
// Indexing of an Array: elements, ranges, new axes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "memory/array_access.hpp"
#include "memory/layout.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// The start of a Python slice and the number of its elements.
struct Extent {
    std::int64_t start = 0;
    std::int64_t count = 0;
};

Extent resolve(const Range& range, std::int64_t extent, std::int64_t step) {
    const bool forward = step > 0;
    const std::int64_t lowest = forward ? 0 : -1;
    const std::int64_t highest = forward ? extent : extent - 1;
    const auto bound = [&](const std::optional<std::int64_t>& value, std::int64_t absent) {
        if (!value) return absent;
        if (*value >= 0) return std::min(*value, highest);
        return *value < -extent ? lowest : std::max(*value + extent, lowest);
    };
    const std::int64_t start = bound(range.start, forward ? lowest : highest);
    const std::int64_t stop = bound(range.stop, forward ? highest : lowest);
    if (forward) return {start, start < stop ? (stop - start - 1) / step + 1 : 0};
    return {start, stop < start ? (start - stop - 1) / -step + 1 : 0};
}

// Goes through the axes of an array and collects the axes of the view.
class Selection {
public:
    explicit Selection(const Array& array)
        : array_(array), data_(static_cast<std::byte*>(array.data())) {}

    void take(const Range& range) {
        if (range.step == 0) {
            refuse<ShapeError>({ErrorKind::option, "step", "not 0", "0"},
                               "slice: the step of axis {} is 0",
                               axis_);
        }
        // The most negative step cannot be negated. The next one selects the same elements.
        const std::int64_t step = std::max(range.step, -std::numeric_limits<std::int64_t>::max());
        const std::int64_t stride = array_.strides()[axis_];
        const Extent extent = resolve(range, array_.shape()[axis_], step);
        if (extent.count > 0) move(extent.start * stride);
        add_axis(extent.count, extent.count > 1 ? stride * step : stride);
        ++axis_;
    }

    void take(std::int64_t index) {
        const std::int64_t extent = array_.shape()[axis_];
        if (index >= extent || index < -extent) {
            refuse<ShapeError>({ErrorKind::value,
                                {},
                                fmt::format("{} to {}", -extent, extent - 1),
                                std::to_string(index)},
                               "index {} is out of range: axis {} of shape {} has {} elements",
                               index,
                               axis_,
                               to_text(array_.shape()),
                               extent);
        }
        move((index < 0 ? index + extent : index) * array_.strides()[axis_]);
        ++axis_;
    }

    void take_whole(int axes) {
        for (const int end = axis_ + axes; axis_ < end; ++axis_) {
            add_axis(array_.shape()[axis_], array_.strides()[axis_]);
        }
    }

    void add_axis(std::int64_t extent, std::int64_t stride) {
        shape_.push_back(extent);
        strides_.push_back(stride);
    }

    Array view() {
        take_whole(array_.rank() - axis_);
        return ArrayAccess::view_of(array_, shape_, strides_, data_);
    }

private:
    void move(std::int64_t bytes) {
        if (array_.size() > 0) data_ += bytes;  // otherwise there may be no memory
    }

    const Array& array_;
    std::byte* data_;
    int axis_ = 0;  // the array's next axis
    Dims shape_;
    Dims strides_;
};

// Returns how many axes of the array the indices use.
int count_axes(std::span<const Index> indices) {
    return static_cast<int>(std::count_if(indices.begin(), indices.end(), [](const Index& index) {
        return index.kind() == Index::Kind::element || index.kind() == Index::Kind::range;
    }));
}

void check_ellipses(std::span<const Index> indices) {
    const auto count = std::count_if(indices.begin(), indices.end(), [](const Index& index) {
        return index.kind() == Index::Kind::ellipsis;
    });
    if (count > 1) {
        refuse<ShapeError>({ErrorKind::argument_count, {}, "at most 1", std::to_string(count)},
                           "index: got {} ellipses, expected at most 1",
                           count);
    }
}

}  // namespace

Array Array::slice(std::span<const Range> ranges) const try {
    require_value(*this, "slice");
    if (ranges.size() > shape_.size()) {
        refuse<ShapeError>({ErrorKind::argument_count,
                            {},
                            fmt::format("at most {}", rank()),
                            std::to_string(ranges.size())},
                           "slice: {} ranges are given for shape {}, which has {} axes",
                           ranges.size(),
                           to_text(shape_),
                           rank());
    }
    Selection selection(*this);
    for (const Range& range : ranges) selection.take(range);
    return selection.view();
} catch (...) {
    rethrow_as_error();
}

IndexedArray Array::operator[](std::int64_t index) const try {
    require_value(*this, "operator[]");
    if (rank() == 0) {
        refuse<ShapeError>({ErrorKind::value, {}, "no index", std::to_string(index)},
                           "index {}: an array of shape () has no axis to index",
                           index);
    }
    Selection selection(*this);
    selection.take(index);
    return IndexedArray(selection.view());
} catch (...) {
    rethrow_as_error();
}

IndexedArray Array::operator[](std::span<const Index> indices) const try {
    require_value(*this, "operator[]");
    check_ellipses(indices);
    const int count = count_axes(indices);
    if (count > rank()) {
        refuse<ShapeError>({ErrorKind::argument_count,
                            {},
                            fmt::format("at most {}", rank()),
                            std::to_string(count)},
                           "index: {} indices are given for shape {}, which has {} axes",
                           count,
                           to_text(shape_),
                           rank());
    }
    Selection selection(*this);
    for (const Index& index : indices) {
        switch (index.kind()) {
            case Index::Kind::element:
                selection.take(index.element());
                break;
            case Index::Kind::range:
                selection.take(index.range());
                break;
            case Index::Kind::new_axis:
                selection.add_axis(1, 0);
                break;
            case Index::Kind::ellipsis:
                selection.take_whole(rank() - count);
                break;
        }
    }
    return IndexedArray(selection.view());
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
