target_sources(kgen PRIVATE
    plan/baked.cpp
    plan/broadcast.cpp
    plan/cuda_loop.cpp
    plan/explain_plan.cpp
    plan/fill_block.cpp
    plan/host_loop.cpp
    plan/operand.cpp
    plan/overlap.cpp
    plan/parameter_block.cpp
    plan/plan.cpp
    plan/plan_flat.cpp
    plan/plan_shared_tiles.cpp
    plan/plan_vector_rows.cpp
    plan/reduction_walk.cpp
    plan/walk.cpp
)
