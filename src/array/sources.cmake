target_sources(kgen PRIVATE
)
