target_sources(kgen PRIVATE
    array/storage.cpp
)
