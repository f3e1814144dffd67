target_sources(kgen PRIVATE
    api/benchmark.cpp
    api/cache_settings.cpp
    api/graph.cpp
    api/setting_findings.cpp
    api/system.cpp
    api/texture.cpp
)
