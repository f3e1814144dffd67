target_sources(kgen PRIVATE
    plan/baked.cpp
    plan/broadcast.cpp
    plan/explain_plan.cpp
    plan/operand.cpp
    plan/overlap.cpp
    plan/parameter_block.cpp
    plan/plan.cpp
    plan/vector_width.cpp
    plan/walk.cpp
)
