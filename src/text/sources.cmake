target_sources(kgen PRIVATE
    text/environment.cpp
    text/excerpt.cpp
    text/log.cpp
    text/suggestion.cpp
)
