target_sources(kgen PRIVATE
    dtype/dims.cpp
    dtype/dtype.cpp
    dtype/half.cpp
    dtype/promote_types.cpp
    dtype/scalar.cpp
    dtype/strides.cpp
    dtype/dtype_table.hpp
)
