# Completes command lines of kgen in fish. `kgen __complete` prints what fits the last of the given words.
function __kgen_complete
    set -l words (commandline -opc)
    set -l command $words[1]
    set -e words[1]
    $command __complete $words (commandline -ct) 2>/dev/null
end

complete -c kgen -f -a '(__kgen_complete)'
