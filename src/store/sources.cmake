target_sources(kgen PRIVATE
    store/cache_care.cpp
    store/cache_entries.cpp
    store/cache_inspection.cpp
    store/cared_cache.cpp
    store/pack_exchange.cpp
    store/pack_io.cpp
)
