target_sources(kgen PRIVATE
    image/code_file.cpp
    image/cuda_binary.cpp
    image/find_or_compile.cpp
    image/image_entry.cpp
    image/included_files.cpp
    image/ptx_header.cpp
)
