# kgen_embed(<target> <group> [PREFIX <prefix>] BASE <folder> <file>...) makes the texts of files available to the target's
# sources. They include <embedded/<group>.hpp>, which declares in kgen::embedded
#     extern const std::string_view <name>;             // for each file
#     extern const std::array<EmbeddedFile, N> <group>;  // all files, sorted by their path below <folder>
# <name> is the prefix followed by the file's name, with '_' in place of '.'. The target is rebuilt when a file
# changes. The target <target>_embedded writes the files without compiling any.
function(kgen_embed target group)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "PREFIX;BASE" "")
    if(NOT TARGET ${target}_embedded)
        add_custom_target(${target}_embedded)
    endif()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded)
    set(files ${arg_UNPARSED_ARGUMENTS})
    list(SORT files)
    add_custom_command(
        OUTPUT ${folder}/${group}.cpp ${folder}/${group}.hpp
        COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DGROUP=${group} -DPREFIX=${arg_PREFIX} -DBASE=${arg_BASE}
                -DFOLDER=${folder} -P ${kgen_SOURCE_DIR}/cmake/embed_files.cmake
        DEPENDS ${files} ${kgen_SOURCE_DIR}/cmake/embed_files.cmake
        VERBATIM)
    target_sources(${target} PRIVATE ${folder}/${group}.cpp ${folder}/${group}.hpp)
    target_sources(${target}_embedded PRIVATE ${folder}/${group}.hpp)
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
