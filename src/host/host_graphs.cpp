// SPDX-License-Identifier: MIT
#include "host/host_graphs.hpp"

#include <kgen/error.hpp>

namespace kgen {

bool HostGraphs::is_capturing(StreamHandle) const {
    throw DeviceError("graphs are not there yet");
}
void HostGraphs::begin_capture(StreamHandle) const {
    throw DeviceError("graphs are not there yet");
}
std::shared_ptr<const LoadedGraph> HostGraphs::end_capture(StreamHandle) const {
    throw DeviceError("graphs are not there yet");
}
void HostGraphs::abandon_capture(StreamHandle) const noexcept {}
void HostGraphs::launch(const LoadedGraph&, StreamHandle) const {
    throw DeviceError("graphs are not there yet");
}

}  // namespace kgen
