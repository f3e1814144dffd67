target_sources(kgen PRIVATE
    files/elf_file.cpp
    files/elf_identity.cpp
    files/input_file.cpp
    files/mapped_file.cpp
    files/replacement_file.cpp
)
