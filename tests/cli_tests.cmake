# Tests of the benchmark and of src/cli: the functions that read arguments, and the command,
# which is run as a process.
target_sources(kgen_tests PRIVATE
    cli/benchmark_folds_test.cpp
    cli/benchmark_test.cpp
    cache/cache_pack_care_test.cpp
    cli/cli_argument_text_test.cpp
    cli/cli_bench_test.cpp
    cli/cli_cache_test.cpp
    cli/cli_command_line_test.cpp
    cli/cli_compile_test.cpp
    cli/cli_doctor_test.cpp
    cli/cli_exit_status_test.cpp
    cli/cli_explain_test.cpp
    cli/cli_pack_test.cpp
    cli/cli_progress_bar_test.cpp
    cli/cli_raw_test.cpp
    cli/cli_reduce_test.cpp
    cli/cli_run_test.cpp
    cli/cli_size_text_test.cpp
    cli/cli_template_test.cpp
    cli/unseen_inputs_test.cpp
    cli/hostile_files_test.cpp
    ${kgen_SOURCE_DIR}/src/cli/text/argument_text.cpp
    ${kgen_SOURCE_DIR}/src/cli/exit_status.cpp
    ${kgen_SOURCE_DIR}/src/cli/text/progress_bar.cpp
    ${kgen_SOURCE_DIR}/src/cli/text/size_text.cpp
)
target_compile_definitions(kgen_tests PRIVATE KGEN_COMMAND="$<TARGET_FILE:kgen_cli>")
target_link_libraries(kgen_tests PRIVATE kgen_benchmarks)
add_dependencies(kgen_tests kgen_cli)
