target_sources(kgen PRIVATE
    signature/body_facts.cpp
    signature/name_uses.cpp
    signature/names.cpp
    signature/parameter_list.cpp
    signature/reduction_facts.cpp
    signature/signature.cpp
    signature/token.cpp
)
