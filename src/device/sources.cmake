target_sources(kgen PRIVATE
    device/device.cpp
    device/registry.cpp
    device/stream.cpp
)
