target_sources(kgen PRIVATE
    image/find_or_compile.cpp
    image/image_entry.cpp
    image/included_files.cpp
)
