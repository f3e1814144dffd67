target_sources(kgen PRIVATE
    types/accumulator.cpp
    types/type_binding.cpp
)
