// SPDX-License-Identifier: MIT
//
// CapturedGraph: a graph that the driver captured from a stream, as another library would
// capture it. It can be launched repeatedly.
#pragma once

#include <dlfcn.h>

#include "cuda/driver/driver_library.hpp"
#include "device/backend.hpp"
#include "support/catch.hpp"

namespace kgen::test {

// Looks up a function of the driver that kgen itself does not call.
template <typename Function>
Function* driver_function(const char* name) {
    static void* const library =
        ::dlopen(DriverLibrary::get().path().c_str(), RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<Function*>(::dlsym(library, name));
}

class CapturedGraph {
public:
    template <typename Run>
    CapturedGraph(StreamHandle stream, Run run) {
        const auto begin =
            driver_function<CUresult(CUstream, CUstreamCaptureMode)>("cuStreamBeginCapture_v2");
        const auto end = driver_function<CUresult(CUstream, CUgraph*)>("cuStreamEndCapture");
        const auto instantiate = driver_function<CUresult(CUgraphExec*, CUgraph, cuuint64_t)>(
            "cuGraphInstantiateWithFlags");
        REQUIRE(begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
        run();
        REQUIRE(end(stream, &graph_) == CUDA_SUCCESS);
        REQUIRE(instantiate(&executable_, graph_, 0) == CUDA_SUCCESS);
    }
    ~CapturedGraph() {
        destroy_graph();
        driver_function<CUresult(CUgraphExec)>("cuGraphExecDestroy")(executable_);
    }
    CapturedGraph(const CapturedGraph&) = delete;
    CapturedGraph& operator=(const CapturedGraph&) = delete;

    void destroy_graph() {
        if (graph_ != nullptr) driver_function<CUresult(CUgraph)>("cuGraphDestroy")(graph_);
        graph_ = nullptr;
    }
    void launch(StreamHandle stream) const {
        REQUIRE(driver_function<CUresult(CUgraphExec, CUstream)>("cuGraphLaunch")(
                    executable_, stream) == CUDA_SUCCESS);
    }

private:
    CUgraph graph_ = nullptr;
    CUgraphExec executable_ = nullptr;
};

}  // namespace kgen::test
