#compdef kgen
# Completes command lines of kgen in zsh. `kgen __complete` prints what fits the last of the given words.
_kgen() {
    local word=${(Q)PREFIX} head line value
    local -a closed open
    # What follows the last separator is completed, so that the rest stays as it is written.
    head=${word%${word##*[=:/,]}}
    for line in "${(@f)$(${(Q)~words[1]} __complete "${(@Q)words[2,CURRENT-1]}" "$word" 2>/dev/null)}"; do
        value=${${line%%$'\t'*}#"$head"}
        [[ -n $value ]] || continue
        local shown=${value//:/\\:}
        [[ $line == *$'\t'* ]] && shown+=:${line#*$'\t'}
        if [[ $value == *[=/,] ]]; then open+=($shown); else closed+=($shown); fi
    done
    [[ -n $head ]] && compset -P '*[=:/,]'
    _describe 'kgen' closed -- open -S ''
}

if [[ $funcstack[1] == _kgen ]]; then
    _kgen "$@"
else
    compdef _kgen kgen
fi
