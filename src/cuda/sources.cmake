# kgen uses only the headers of CUDA. SYSTEM suppresses warnings in them.
target_include_directories(kgen SYSTEM PRIVATE ${KGEN_CUDA_INCLUDE_DIR})
target_sources(kgen PRIVATE
    cuda/cuda_backend.cpp
    cuda/driver/cuda_context.cpp
    cuda/driver/cuda_devices.cpp
    cuda/driver/debug_labels.cpp
    cuda/driver/device_fault.cpp
    cuda/driver/driver_library.cpp
    cuda/driver/loader_cache.cpp
    cuda/kernel/cuda_kernel.cpp
    cuda/kernel/cuda_launch_limits.cpp
    cuda/kernel/cuda_module.cpp
    cuda/kernel/cuda_raw.cpp
    cuda/kernel/cuda_raw_kernel.cpp
    cuda/memory/block_table.cpp
    cuda/memory/captured_scratch.cpp
    cuda/memory/cuda_memory.cpp
    cuda/memory/cuda_memory_backend.cpp
    cuda/memory/cuda_scratch.cpp
    cuda/memory/cuda_textures.cpp
    cuda/nvrtc/compile_guard.cpp
    cuda/nvrtc/compile_linked.cpp
    cuda/nvrtc/name_expressions.cpp
    cuda/nvrtc/nvrtc_compiler.cpp
    cuda/nvrtc/nvrtc_library.cpp
    cuda/nvrtc/nvrtc_location.cpp
    cuda/nvrtc/nvrtc_options.cpp
    cuda/nvrtc/nvrtc_program.cpp
    cuda/nvrtc/ptx_parameters.cpp
    cuda/nvrtc/toolkit_headers.cpp
    cuda/stream/captured_stream.cpp
    cuda/stream/cuda_graphs.cpp
    cuda/stream/cuda_streams.cpp
    cuda/stream/host_functions.cpp
)
