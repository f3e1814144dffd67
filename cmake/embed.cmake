# kgen_embed(<target> [PREFIX <prefix>] <file>...) makes the text of each file available to the target's sources.
# They include <embedded/<name>.hpp>, which declares
#     namespace kgen::embedded { extern const std::string_view <name>; }
# <name> is the prefix followed by the file's name, with '_' in place of '.'. The target is rebuilt when a file
# changes. The target <target>_embedded writes the files without compiling any.
function(kgen_embed target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" PREFIX "")
    if(NOT TARGET ${target}_embedded)
        add_custom_target(${target}_embedded)
    endif()
    foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
        get_filename_component(path ${file} ABSOLUTE)
        get_filename_component(name ${file} NAME)
        string(MAKE_C_IDENTIFIER ${arg_PREFIX}${name} name)
        set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded)
        add_custom_command(
            OUTPUT ${folder}/${name}.cpp ${folder}/${name}.hpp
            COMMAND ${CMAKE_COMMAND} -DINPUT=${path} -DNAME=${name} -DFOLDER=${folder}
                    -P ${kgen_SOURCE_DIR}/cmake/embed_file.cmake
            DEPENDS ${path} ${kgen_SOURCE_DIR}/cmake/embed_file.cmake
            VERBATIM)
        target_sources(${target} PRIVATE ${folder}/${name}.cpp ${folder}/${name}.hpp)
        target_sources(${target}_embedded PRIVATE ${folder}/${name}.hpp)
    endforeach()
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
