target_sources(kgen PRIVATE
    text/bounded_log.cpp
    text/compiler_log.cpp
    text/environment.cpp
    text/excerpt.cpp
    text/include_scan.cpp
    text/log.cpp
    text/nesting.cpp
    text/source_cursor.cpp
    text/source_scan.cpp
    text/suggestion.cpp
    text/terminal_text.cpp
    text/version.cpp
)
set_source_files_properties(text/version.cpp PROPERTIES COMPILE_DEFINITIONS KGEN_VERSION="${PROJECT_VERSION}")
