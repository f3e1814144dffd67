target_sources(kgen PRIVATE
    image/find_or_compile.cpp
    image/header_file.cpp
    image/image_entry.cpp
    image/include_search.cpp
    image/included_files.cpp
    image/missing_header.cpp
)
