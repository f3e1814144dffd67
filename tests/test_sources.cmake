# Adds test files to a program. In a unity build many of them are compiled as one. With g++ units of 24 take two thirds of the
# time of units of eight, and larger ones hardly less. With clang++ units of 72 take three quarters of that of 24.
function(kgen_test_sources program)
    set(files ${ARGN})
    set(unit_size 24)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        set(unit_size 72)
    endif()
    list(TRANSFORM files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
    while(kgen_test_units AND files)
        list(SUBLIST files 0 ${unit_size} unit_files)
        list(REMOVE_ITEM files ${unit_files})
        list(GET unit_files 0 first)
        get_filename_component(name ${first} NAME_WE)
        set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${program}/${name}.cpp)
        add_custom_command(OUTPUT ${unit} VERBATIM
            COMMAND ${CMAKE_COMMAND} "-DFILES=${unit_files}" -DUNIT=${unit} -P ${CMAKE_CURRENT_SOURCE_DIR}/test_unit.cmake
            DEPENDS ${unit_files} test_unit.cmake)
        target_sources(${program} PRIVATE ${unit})
    endwhile()
    target_sources(${program} PRIVATE ${files})
endfunction()
