target_sources(kgen PRIVATE
    array/dlpack/dlpack_export.cpp
    array/dlpack/dlpack_import.cpp
    array/elements/array_creation.cpp
    array/elements/assignment.cpp
    array/elements/creation.cpp
    array/elements/equality.cpp
    array/elements/filling.cpp
    array/elements/host_elements.cpp
    array/elements/joining.cpp
    array/elements/linspace.cpp
    array/elements/pinned_memory.cpp
    array/files/npy.cpp
    array/files/npy_data.cpp
    array/files/npy_header.cpp
    array/files/npz.cpp
    array/files/zip_directory.cpp
    array/files/zip_entry_reader.cpp
    array/files/zip_writer.cpp
    array/kernels/array_kernels.cpp
    array/kernels/device_operations.cpp
    array/kernels/join_kernel.cpp
    array/kernels/ragged_rows.cpp
    array/text/array_text.cpp
    array/text/float_text.cpp
    array/views/axis_list.cpp
    array/views/axis_views.cpp
    array/views/indexing.cpp
    array/views/views.cpp
)
# The host must compute the same bits as a GPU, so the compiler must not fuse multiplications and additions.
set_source_files_properties(array/elements/creation.cpp array/elements/linspace.cpp
    PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
include(${kgen_SOURCE_DIR}/kernel_templates/array/array.cmake)
