#!/bin/sh
# Checks that all C++ files are formatted as by clang-format 14, and names those that are not. --fix formats them.
set -eu
cd "$(dirname "$0")/.."

clang_format=$(command -v clang-format-14 || command -v clang-format) || {
    echo "check_format: clang-format-14 was not found; apt-get install clang-format-14" >&2
    exit 1
}
"$clang_format" --version | grep -q 'version 14\.' || {
    echo "check_format: expected version 14, but $clang_format has another version" >&2
    exit 1
}
action="--dry-run --Werror"
[ "${1:-}" != --fix ] || action="-i"
# Golden files are output of kgen, so they are not formatted.
git ls-files -z '*.cpp' '*.hpp' ':!tests/golden' | xargs -0 "$clang_format" $action
echo "format: every file is as clang-format 14 writes it"
