# Tests of the benchmark and of src/cli: the functions that read arguments, and the command,
# which is run as a process.
file(GLOB cli_test_sources CONFIGURE_DEPENDS cli/*_test.cpp)
kgen_test_sources(kgen_tests ${cli_test_sources})
target_sources(kgen_tests PRIVATE
    ${kgen_SOURCE_DIR}/src/cli/text/argument_text.cpp
    ${kgen_SOURCE_DIR}/src/cli/text/list_text.cpp
    ${kgen_SOURCE_DIR}/src/cli/exit_status.cpp
    ${kgen_SOURCE_DIR}/src/cli/text/progress_bar.cpp
    ${kgen_SOURCE_DIR}/src/cli/text/size_text.cpp
)
target_compile_definitions(kgen_tests PRIVATE KGEN_COMMAND="$<TARGET_FILE:kgen_cli>")
target_link_libraries(kgen_tests PRIVATE kgen_benchmarks)
add_dependencies(kgen_tests kgen_cli)
