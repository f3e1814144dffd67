target_sources(kgen PRIVATE
    template/json_tree.cpp
    template/overload_choice.cpp
    template/template_definition.cpp
    template/template_fields.cpp
    template/template_file.cpp
    template/template_library.cpp
    template/template_reader.cpp
    template/template_text.cpp
)
include(${kgen_SOURCE_DIR}/kernel_templates/library/library.cmake)
