# Adds test files to a program. In a unity build 24 of them are compiled as one, which takes two thirds of the time that units
# of eight take.
function(kgen_test_sources program)
    set(files ${ARGN})
    list(TRANSFORM files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
    while(kgen_test_units AND files)
        list(SUBLIST files 0 24 unit_files)
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
