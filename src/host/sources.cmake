target_sources(kgen PRIVATE
    host/compiler_file.cpp
    host/header_folder.cpp
    host/host_backend.cpp
    host/host_compiler.cpp
    host/host_graphs.cpp
    host/host_memory.cpp
    host/host_options.cpp
    host/host_raw.cpp
    host/host_scratch.cpp
    host/host_target.cpp
    host/host_toolchain.cpp
    host/run_child.cpp
    host/shared_object.cpp
    host/temporary_directory.cpp
    host/thread_pool.cpp
    host/vector_math.cpp
)
