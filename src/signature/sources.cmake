target_sources(kgen PRIVATE
    signature/active_code.cpp
    signature/body_facts.cpp
    signature/body_text.cpp
    signature/code_tokens.cpp
    signature/lexed_definition.cpp
    signature/macro_definitions.cpp
    signature/name_reads.cpp
    signature/name_uses.cpp
    signature/names.cpp
    signature/output_uses.cpp
    signature/parameter_list.cpp
    signature/reduction_facts.cpp
    signature/signature.cpp
    signature/token.cpp
)
