target_sources(kgen PRIVATE
    raw/raw_argument_errors.cpp
    raw/raw_arguments.cpp
    raw/raw_definition.cpp
    raw/raw_kernel.cpp
    raw/raw_launch.cpp
    raw/raw_module.cpp
    raw/raw_program.cpp
    raw/typed_parameters.cpp
)
