# Warnings for kgen's own targets, which link kgen_warnings PRIVATE. Warnings are errors only with KGEN_WERROR.
add_library(kgen_warnings INTERFACE)
target_compile_options(kgen_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wno-missing-field-initializers
    -Wnon-virtual-dtor -Woverloaded-virtual $<$<BOOL:${KGEN_WERROR}>:-Werror>)
# False positives of g++ 12 and 13 inside libstdc++. They depend on what the optimiser inlines.
target_compile_options(kgen_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds
    -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread>)
# clang counts conversions between signed and unsigned among -Wconversion, and warns of x[{0}]. g++ does neither.
target_compile_options(kgen_warnings INTERFACE
    $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion -Wno-braced-scalar-init>)
# Files that are compiled together see each other's names, and the compiler treats them as one file.
if(CMAKE_UNITY_BUILD)
    target_compile_options(kgen_warnings INTERFACE -Wno-shadow
        $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
