# The prelude's sections, embedded in the library under their file names (see prelude/README.md).
# <embedded/prelude_sections.hpp> declares all, and the function prelude_section("float16"), which finds one.
file(GLOB sections CONFIGURE_DEPENDS ${kgen_SOURCE_DIR}/kernel_templates/skeletons/prelude/*.cuh)
kgen_embed(kgen ${sections})
set(includes "")
set(lookups "")
foreach(section IN LISTS sections)
    get_filename_component(name ${section} NAME_WE)
    string(APPEND includes "#include <embedded/${name}_cuh.hpp>\n")
    string(APPEND lookups "    if (name == \"${name}\") return ${name}_cuh;\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/embedded/prelude_sections.hpp CONTENT
"#pragma once
${includes}
namespace kgen::embedded {
inline std::string_view prelude_section(std::string_view name) {
${lookups}    return {};
}
}
" @ONLY)
