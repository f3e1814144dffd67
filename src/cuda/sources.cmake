# Headers alone; system headers, so that their warnings stay theirs.
target_include_directories(kgen SYSTEM PRIVATE ${KGEN_CUDA_INCLUDE_DIR})
target_sources(kgen PRIVATE
    cuda/block_table.cpp
    cuda/captured_scratch.cpp
    cuda/compile_guard.cpp
    cuda/cuda_backend.cpp
    cuda/cuda_context.cpp
    cuda/cuda_devices.cpp
    cuda/cuda_kernel.cpp
    cuda/cuda_memory.cpp
    cuda/cuda_graphs.cpp
    cuda/cuda_raw.cpp
    cuda/cuda_scratch.cpp
    cuda/device_fault.cpp
    cuda/driver_library.cpp
    cuda/inspect_cuda.cpp
    cuda/loader_cache.cpp
    cuda/nvrtc_compiler.cpp
    cuda/nvrtc_library.cpp
    cuda/nvrtc_location.cpp
    cuda/nvrtc_options.cpp
    cuda/nvrtc_thread.cpp
    cuda/toolkit_headers.cpp
)
