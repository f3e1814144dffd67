target_sources(kgen PRIVATE
    image/code_file.cpp
    image/compile_settings.cpp
    image/cubin_resources.cpp
    image/cuda_binary.cpp
    image/find_or_compile.cpp
    image/image_entry.cpp
    image/include_search.cpp
    image/included_files.cpp
    image/missing_header.cpp
    image/process_store.cpp
    image/refused_sources.cpp
)
