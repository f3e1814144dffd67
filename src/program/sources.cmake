target_sources(kgen PRIVATE
    program/base_type.cpp
    program/declared_parameters.cpp
    program/host_raw_refusals.cpp
    program/host_raw_rewrite.cpp
    program/host_raw_scan.cpp
    program/host_raw_source.cpp
    program/parameter_type.cpp
    program/raw_names.cpp
    program/raw_source.cpp
    program/shared_array_scan.cpp
    program/user_errors.cpp
    program/waiting_names.cpp
)
