target_sources(kgen PRIVATE
    text/environment.cpp
    text/log.cpp
)
