# The device code of kgen's own kernels for arrays, embedded in the library as array_<file>.
foreach(part convert convert_complex join)
    kgen_embed(kgen PREFIX array_ ${kgen_SOURCE_DIR}/kernel_templates/array/${part}.cuh)
endforeach()
