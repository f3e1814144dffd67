# Script mode: writes UNIT, which includes the test FILES. Several of them use the same names for their fixtures, so each
# stands in a namespace of its name. What the files include comes before, outside of these namespaces.
set(headers "")
set(bodies "")
foreach(file IN LISTS FILES)
    file(READ ${file} text)
    string(REGEX MATCH "^([#/][^\n]*\n|\n)*" head "${text}")
    string(REGEX MATCHALL "\n#(include|if|endif)[^\n]*" lines "${head}")
    string(APPEND headers ${lines})
    get_filename_component(name ${file} NAME_WE)
    string(APPEND bodies "namespace ${name} {\n#include \"${file}\"\n}\n")
endforeach()
file(WRITE ${UNIT} "${headers}\n${bodies}")
