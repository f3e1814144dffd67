# The prelude's sections, embedded in the library under their file names (see prelude/README.md).
foreach(section base_cuda base_host standard_names_host math_host special_host intrinsics_host vector_math_host
        vector_types_host
        math_constants float16 bfloat16 narrow_float complex complex_functions atomics_cuda
        atomics_host raw_view)
    kgen_embed(kgen ${kgen_SOURCE_DIR}/kernel_templates/skeletons/prelude/${section}.cuh)
endforeach()
