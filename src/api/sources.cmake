target_sources(kgen PRIVATE
    api/benchmark.cpp
    api/bound_call.cpp
    api/bound_launch.cpp
    api/bound_reduction.cpp
    api/call_binder.cpp
    api/call_memory.cpp
    api/call_view.cpp
    api/device_operations.cpp
    api/elementwise_kernel.cpp
    api/frozen_launch.cpp
    api/graph.cpp
    api/pipeline.cpp
    api/reduction_kernel.cpp
    api/remembered_call.cpp
    api/scratch_use.cpp
    api/system.cpp
    api/thread_number.cpp
    api/variant_table.cpp
)
set_source_files_properties(api/system.cpp PROPERTIES COMPILE_DEFINITIONS KGEN_VERSION="${PROJECT_VERSION}")
