target_sources(kgen PRIVATE
    signature/body_facts.cpp
    signature/names.cpp
    signature/signature.cpp
    signature/token.cpp
)
