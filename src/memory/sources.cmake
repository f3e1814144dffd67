target_sources(kgen PRIVATE
    memory/array.cpp
    memory/layout.cpp
    memory/memory_check.cpp
    memory/memory_pool.cpp
    memory/pinned_pool.cpp
    memory/storage.cpp
    memory/texture_memory.cpp
)
