target_sources(kgen PRIVATE
    image/can_compile.cpp
    image/code_file.cpp
    image/compile_settings.cpp
    image/compile_slot.cpp
    image/cubin_resources.cpp
    image/cuda_binary.cpp
    image/embedded_packs.cpp
    image/find_or_compile.cpp
    image/header_file.cpp
    image/image_entry.cpp
    image/include_search.cpp
    image/included_files.cpp
    image/missing_header.cpp
    image/process_store.cpp
    image/ptx_header.cpp
    image/refused_sources.cpp
)
