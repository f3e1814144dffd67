target_sources(kgen PRIVATE
    files/input_file.cpp
    files/mapped_file.cpp
    files/replacement_file.cpp
)
