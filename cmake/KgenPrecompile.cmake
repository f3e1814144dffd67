# kgen_precompile(TARGET <target>
#                 TEMPLATES <name, file.json or folder/>...
#                 [ARCHS sm_80 sm_90 ...]
#                 [TYPES T=float32,float64 ...])
#
# Compiles kernels of templates when the target is built and links them into it, so that the program needs no
# NVRTC for them and does not wait for a compiler. Templates of files are embedded too, so that kernel_template()
# finds them by name and the program needs no JSON file. Without ARCHS they are compiled for the GPU of the build
# machine. They are compiled again when a template file or the command kgen changes. The function may be called
# several times for one target.
#
# If the target is a static library, the kernels become part of the targets that link it in this build. The
# build needs the command kgen and NVRTC, but no GPU.
function(kgen_precompile)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET" "TEMPLATES;ARCHS;TYPES")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "kgen_precompile: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT arg_TARGET OR NOT TARGET ${arg_TARGET})
        message(FATAL_ERROR "kgen_precompile: TARGET: got '${arg_TARGET}', expected a target")
    endif()
    if(NOT arg_TEMPLATES)
        message(FATAL_ERROR "kgen_precompile: TEMPLATES is missing; expected names or files of templates")
    endif()
    if(NOT TARGET kgen::kgen_cli)
        message(FATAL_ERROR "kgen_precompile: the command kgen is missing: "
            "build or install kgen with KGEN_BUILD_CLI=ON")
    endif()

    set(words "")
    set(files "")
    foreach(template IN LISTS arg_TEMPLATES)
        if(template MATCHES "[/.]")
            get_filename_component(template ${template} ABSOLUTE)
            if(IS_DIRECTORY ${template})
                file(GLOB found CONFIGURE_DEPENDS ${template}/*.json)
                list(APPEND files ${found})
            else()
                list(APPEND files ${template})
            endif()
        endif()
        list(APPEND words ${template})
    endforeach()
    foreach(arch IN LISTS arg_ARCHS)
        list(APPEND words --arch ${arch})
    endforeach()
    foreach(types IN LISTS arg_TYPES)
        list(APPEND words --types ${types})
    endforeach()

    get_target_property(count ${arg_TARGET} KGEN_PACK_COUNT)
    if(NOT count)
        set(count 0)
    endif()
    math(EXPR count "${count} + 1")
    set_target_properties(${arg_TARGET} PROPERTIES KGEN_PACK_COUNT ${count})
    set(name ${arg_TARGET}_kernels_${count})
    set(text ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    # The user's cache is not used, so the result depends only on the arguments.
    add_custom_command(
        OUTPUT ${text}
        COMMAND ${CMAKE_COMMAND} -E env KGEN_CACHE=off $<TARGET_FILE:kgen::kgen_cli>
                compile ${words} --embed ${text}
        DEPENDS ${files} $<TARGET_FILE:kgen::kgen_cli>
        COMMENT "Compiling kernels of ${arg_TARGET}"
        VERBATIM)

    get_target_property(type ${arg_TARGET} TYPE)
    if(type STREQUAL "STATIC_LIBRARY" OR type STREQUAL "INTERFACE_LIBRARY")
        # A linker omits members of a library that nothing refers to, so the program links the object itself.
        add_library(${name} OBJECT ${text})
        target_link_libraries(${name} PRIVATE kgen::kgen)
        set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
        target_link_libraries(${arg_TARGET} INTERFACE $<BUILD_INTERFACE:$<TARGET_OBJECTS:${name}>>)
    else()
        target_sources(${arg_TARGET} PRIVATE ${text})
        target_link_libraries(${arg_TARGET} PRIVATE kgen::kgen)
    endif()
endfunction()
