# The tests of src/cli: its reader of arguments, and the command itself, run as a process; and of the benchmark.
target_sources(kgen_tests PRIVATE
    benchmark_folds_test.cpp
    benchmark_test.cpp
    cache_pack_care_test.cpp
    cli_argument_text_test.cpp
    cli_bench_test.cpp
    cli_cache_test.cpp
    cli_command_line_test.cpp
    cli_compile_test.cpp
    cli_doctor_test.cpp
    cli_exit_status_test.cpp
    cli_explain_test.cpp
    cli_pack_test.cpp
    cli_progress_bar_test.cpp
    cli_raw_test.cpp
    cli_reduce_test.cpp
    cli_run_test.cpp
    cli_size_text_test.cpp
    cli_template_test.cpp
    unseen_inputs_test.cpp
    hostile_files_test.cpp
    ${kgen_SOURCE_DIR}/src/cli/argument_text.cpp
    ${kgen_SOURCE_DIR}/src/cli/exit_status.cpp
    ${kgen_SOURCE_DIR}/src/cli/progress_bar.cpp
    ${kgen_SOURCE_DIR}/src/cli/size_text.cpp
)
target_compile_definitions(kgen_tests PRIVATE KGEN_COMMAND="$<TARGET_FILE:kgen_cli>")
target_link_libraries(kgen_tests PRIVATE kgen_benchmarks)
add_dependencies(kgen_tests kgen_cli)
