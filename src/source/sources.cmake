target_sources(kgen PRIVATE
    source/kernel_text.cpp
    source/linear_loop.cpp
    source/prelude.cpp
    source/rows_loop.cpp
    source/source.cpp
    source/source_writer.cpp
    source/strided_loop.cpp
)
kgen_embed(kgen
    ${kgen_SOURCE_DIR}/kernel_templates/skeletons/access_cuda.cuh
    ${kgen_SOURCE_DIR}/kernel_templates/skeletons/division_host.cuh
    ${kgen_SOURCE_DIR}/kernel_templates/skeletons/divisor_cuda.cuh
    ${kgen_SOURCE_DIR}/kernel_templates/skeletons/linear.cu.in
    ${kgen_SOURCE_DIR}/kernel_templates/skeletons/rows.cpp.in
    ${kgen_SOURCE_DIR}/kernel_templates/skeletons/single.cu.in
    ${kgen_SOURCE_DIR}/kernel_templates/skeletons/strided.cu.in)
include(${kgen_SOURCE_DIR}/kernel_templates/skeletons/prelude.cmake)
