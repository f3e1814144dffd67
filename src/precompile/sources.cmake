target_sources(kgen PRIVATE
    precompile/layout_cases.cpp
    precompile/precompile.cpp
    precompile/precompile_batches.cpp
    precompile/precompile_jobs.cpp
    precompile/run_in_parallel.cpp
)
