target_sources(kgen PRIVATE
    call/bound_call.cpp
    call/bound_reduction.cpp
    call/call_binder.cpp
    call/call_memory.cpp
    call/call_view.cpp
    call/elementwise_kernel.cpp
    call/generated_kernel.cpp
    call/kernel_template.cpp
    call/nearest_entry.cpp
    call/pipeline.cpp
    call/planned_launch.cpp
    call/reduction_kernel.cpp
    call/remembered_call.cpp
    call/scratch_use.cpp
    call/thread_number.cpp
    call/variant_table.cpp
)
