target_sources(kgen PRIVATE
    array/array.cpp
    array/array_creation.cpp
    array/array_text.cpp
    array/assignment.cpp
    array/axis_list.cpp
    array/axis_views.cpp
    array/creation.cpp
    array/dlpack_export.cpp
    array/dlpack_import.cpp
    array/equality.cpp
    array/filling.cpp
    array/float_text.cpp
    array/grid.cpp
    array/host_elements.cpp
    array/indexing.cpp
    array/input_file.cpp
    array/joining.cpp
    array/layout.cpp
    array/linspace.cpp
    array/mapped_file.cpp
    array/memory_check.cpp
    array/memory_pool.cpp
    array/nested_list.cpp
    array/npy.cpp
    array/npy_data.cpp
    array/npy_header.cpp
    array/npz.cpp
    array/pinned_memory.cpp
    array/pinned_pool.cpp
    array/replacement_file.cpp
    array/storage.cpp
    array/views.cpp
    array/zip_directory.cpp
    array/zip_entry_reader.cpp
    array/zip_writer.cpp
)
# What is computed on the host and on GPUs has the same bits.
set_source_files_properties(array/creation.cpp array/linspace.cpp
    PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
