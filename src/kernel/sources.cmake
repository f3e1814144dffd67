target_sources(kgen PRIVATE
    kernel/loaded_kernel.cpp
)
