target_sources(kgen PRIVATE
    device/capture_record.cpp
    device/compiler.cpp
    device/device.cpp
    device/registry.cpp
    device/stream.cpp
)
