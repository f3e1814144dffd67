# The headers that sources may include, embedded in the library as header_<name> (see README.md).
foreach(header
        algorithm array assert.h cassert cfloat climits cmath cstddef cstdint cstdio cstdlib cstring
        float.h functional initializer_list iterator kgen/array.cuh kgen/function.h limits limits.h
        math.h new numeric stddef.h stdint.h stdio.h stdlib.h string.h tuple type_traits utility)
    kgen_embed(kgen PREFIX header_ ${kgen_SOURCE_DIR}/kernel_templates/headers/${header})
endforeach()
