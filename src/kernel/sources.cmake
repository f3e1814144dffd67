target_sources(kgen PRIVATE
    kernel/bound_launch.cpp
    kernel/frozen_launch.cpp
    kernel/loaded_kernel.cpp
)
