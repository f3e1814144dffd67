target_sources(kgen PRIVATE
    image/code_file.cpp
    image/cubin_resources.cpp
    image/cuda_binary.cpp
    image/find_or_compile.cpp
    image/header_file.cpp
    image/image_entry.cpp
    image/include_search.cpp
    image/included_files.cpp
    image/ptx_header.cpp
    image/missing_header.cpp
)
