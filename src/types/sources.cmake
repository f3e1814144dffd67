target_sources(kgen PRIVATE
    types/type_binding.cpp
)
