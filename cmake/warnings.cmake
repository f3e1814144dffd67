# Warnings for kgen's own targets: link kgen_warnings PRIVATE. They are errors only with KGEN_WERROR.
add_library(kgen_warnings INTERFACE)
target_compile_options(kgen_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wno-missing-field-initializers
    -Wnon-virtual-dtor -Woverloaded-virtual $<$<BOOL:${KGEN_WERROR}>:-Werror>)
# False alarms of g++ 12 and 13 inside libstdc++, which depend on what the optimiser inlined.
target_compile_options(kgen_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds
    -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread>)
# Files that are compiled together see each other's names, and are one file to the compiler.
if(CMAKE_UNITY_BUILD)
    target_compile_options(kgen_warnings INTERFACE -Wno-shadow
        $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
