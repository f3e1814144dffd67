target_sources(kgen PRIVATE
    array/array.cpp
    array/array_text.cpp
    array/assignment.cpp
    array/creation.cpp
    array/float_text.cpp
    array/host_elements.cpp
    array/layout.cpp
    array/npy.cpp
    array/npy_header.cpp
    array/replacement_file.cpp
    array/storage.cpp
    array/views.cpp
)
