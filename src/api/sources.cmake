target_sources(kgen PRIVATE
    api/bound_call.cpp
    api/call_memory.cpp
    api/device_operations.cpp
    api/elementwise_kernel.cpp
    api/pipeline.cpp
    api/system.cpp
)
set_source_files_properties(api/system.cpp PROPERTIES COMPILE_DEFINITIONS KGEN_VERSION="${PROJECT_VERSION}")
