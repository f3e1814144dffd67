# A script that writes ${FOLDER}/${GROUP}.{hpp,cpp} with the texts of ${FILES} (see embed.cmake). A text is
# cut into several raw strings, because compilers limit the length of a literal.
set(declarations "")
set(definitions "")
set(rows "")
foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${PREFIX}${name} name)
    file(RELATIVE_PATH path ${BASE} ${file})
    file(READ ${file} text)
    string(LENGTH "${text}" length)
    set(pieces "")
    set(at 0)
    while(at LESS length)
        string(SUBSTRING "${text}" ${at} 8000 piece)
        string(APPEND pieces "\nR\"kgen_text(${piece})kgen_text\"")
        math(EXPR at "${at} + 8000")
    endwhile()
    string(APPEND declarations "extern const std::string_view ${name};\n")
    string(APPEND definitions "constexpr char ${name}_text[] =${pieces};\n"
        "constinit const std::string_view ${name}(${name}_text, sizeof ${name}_text - 1);\n")
    string(APPEND rows "    EmbeddedFile{\"${path}\", {${name}_text, sizeof ${name}_text - 1}},\n")
endforeach()
list(LENGTH FILES count)
file(WRITE ${FOLDER}/${GROUP}.hpp
"#pragma once
#include <array>
#include \"text/embedded_file.hpp\"
namespace kgen::embedded {
${declarations}extern const std::array<EmbeddedFile, ${count}> ${GROUP};
}
")
file(WRITE ${FOLDER}/${GROUP}.cpp
"#include \"${GROUP}.hpp\"
namespace kgen::embedded {
${definitions}constinit const std::array<EmbeddedFile, ${count}> ${GROUP} = {
${rows}};
}
")
