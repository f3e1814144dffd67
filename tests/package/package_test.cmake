# Script mode: one way to use kgen from outside, from an empty folder to a kernel that runs. See CMakeLists.txt.
function(run)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "'${command}' ended with '${status}':\n${text}")
    endif()
    set(text "${text}" PARENT_SCOPE)
endfunction()

function(expect what)
    string(FIND "${text}" "${what}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "expected '${what}' in\n${text}")
    endif()
endfunction()

set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Debug
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
    -DCMAKE_CXX_FLAGS=${FLAGS})
set(sources ${KGEN_SOURCE_DIR}/tests/package)
set(build ${FOLDER}/${WAY})
set(prefix ${FOLDER}/prefix_of_${WAY})
file(REMOVE_RECURSE ${build} ${prefix})

if(WAY STREQUAL "add_subdirectory")
    run(${configure} -S ${sources}/add_subdirectory -B ${build}
        -DKGEN_SOURCE_DIR=${KGEN_SOURCE_DIR} -DCMAKE_INSTALL_PREFIX=${prefix}
        -DBUILD_SHARED_LIBS=ON -DKGEN_CUDA=OFF -DKGEN_INSTALL=ON -DKGEN_WERROR=${WERROR})
    expect("kgen: building with the host device alone: KGEN_CUDA is OFF")
elseif(WAY STREQUAL "find_package_shared")
    set(prefix ${FOLDER}/prefix_of_add_subdirectory)
    run(${CMAKE_COMMAND} --install ${FOLDER}/add_subdirectory)
    run(${configure} -S ${sources}/find_package -B ${build} -DCMAKE_PREFIX_PATH=${prefix})
else()
    run(${CMAKE_COMMAND} --install ${KGEN_BINARY_DIR} --prefix ${prefix})
    run(${configure} -S ${sources}/find_package -B ${build} -DCMAKE_PREFIX_PATH=${prefix})
endif()
run(${CMAKE_COMMAND} --build ${build} --parallel 2)
run(${build}/consumer)
if(NOT text STREQUAL "[0.  2.5 5.  7.5]\nunknown dtype refused\n")
    message(FATAL_ERROR "the program printed\n${text}")
endif()
