#!/bin/sh
# Checks the C++ of src, include and cache with clang-tidy 14 by the list in .clang-tidy: all of it, or the .cpp files
# that are given. Headers are checked where they are included.
#
# Configures build/tidy for its compile_commands.json and compiles nothing. The files of a folder are parsed as one, as in
# a unity build, because that takes about a fifth of the time. So a file is checked together with its folder. If all are
# checked, several folders are parsed as one (KGEN_UNITY_ROWS in src/CMakeLists.txt).
set -eu
cd "$(dirname "$0")/.."

clang_tidy=$(command -v clang-tidy-14) || {
    echo "check_tidy: clang-tidy-14 was not found; apt-get install clang-tidy-14" >&2
    exit 1
}
mkdir -p build
log=build/tidy.log
rows=OFF
[ $# -gt 0 ] || rows=ON
{ cmake -S . -B build/tidy -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_UNITY_BUILD=ON -DKGEN_UNITY_ROWS=$rows \
    -DKGEN_BUILD_TESTS=OFF -DKGEN_BUILD_EXAMPLES=OFF &&
    cmake --build build/tidy --target kgen_embedded kgen_cli_embedded; } >$log 2>&1 || {
    cat $log >&2
    exit 1
}
# A unit is a file of the compile commands: a source, or a generated file that includes the sources of a folder.
units=$(sed -n 's|^ *"file": "\(.*\)",*$|\1|p' build/tidy/compile_commands.json |
    grep -E "^$PWD/(src|cache)/|/(kgen|kgen_cache|kgen_cli)\.dir/Unity/" | grep -v unity_kgen_embedded)
if [ $# -gt 0 ]; then
    units=$(for file; do
        grep -lF "/$file\"" $units || echo "$units" | grep -xF "$PWD/$file" || true
    done | sort -u)
fi
# Long units first, so that no core waits for the last one. The size of a unit is about the number of its files.
[ -z "$units" ] || units=$(ls -S $units)
# The log gets the number of warnings in headers that are not kgen's.
echo "$units" | xargs -r -P "$(nproc)" -n 1 "$clang_tidy" -p build/tidy --quiet 2>$log || {
    grep -v 'warnings* generated' $log >&2 || true
    exit 1
}
echo "tidy: no finding in $(echo "$units" | grep -c .) translation units"
