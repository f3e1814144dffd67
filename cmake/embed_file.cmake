# A script that writes ${FOLDER}/${NAME}.{hpp,cpp} with the text of ${INPUT} (see embed.cmake). The text is cut
# into several raw strings, because compilers limit the length of a literal.
file(READ ${INPUT} text)
string(LENGTH "${text}" length)
set(pieces "")
set(at 0)
while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND pieces "R\"kgen_text(${piece})kgen_text\"\n")
    math(EXPR at "${at} + 8000")
endwhile()
file(WRITE ${FOLDER}/${NAME}.hpp
"#pragma once
#include <string_view>
namespace kgen::embedded {
extern const std::string_view ${NAME};
}
")
file(WRITE ${FOLDER}/${NAME}.cpp
"#include \"${NAME}.hpp\"
namespace kgen::embedded {
const std::string_view ${NAME} =
${pieces};
}
")
