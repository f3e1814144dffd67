# Completes command lines of kgen in bash. `kgen __complete` prints what fits the last of the given words.
_kgen() {
    local line=${COMP_LINE:0:COMP_POINT} words=() part index
    # Bash also separates words at '=' and ':'. What has no space between it is one word.
    for ((index = 0; index <= COMP_CWORD; ++index)); do
        part=${COMP_WORDS[index]}
        [[ $index -eq 0 || $line == [[:space:]]* ]] && words+=("")
        line=${line#"${line%%[![:space:]]*}"}
        [[ $index -eq $COMP_CWORD ]] && part=$line
        words[-1]+=$part
        line=${line#"$part"}
    done

    # Bash replaces what follows the last separator, or the opening quote.
    local word=${words[-1]} head="" separators="" quote=""
    if [[ $word == [\'\"]* ]]; then
        quote=${word:0:1}
        word=${word:1}
    else
        word=${word//\\/}
        [[ $COMP_WORDBREAKS == *=* ]] && separators+="="
        [[ $COMP_WORDBREAKS == *:* ]] && separators+=":"
        [[ -n $separators && $word == *[$separators]* ]] && head=${word%"${word##*[$separators]}"}
    fi
    words[-1]=$word

    local candidate
    COMPREPLY=()
    while IFS= read -r candidate; do
        candidate=${candidate%%$'\t'*}
        candidate=${candidate#"$head"}
        [[ -z $quote ]] && printf -v candidate %q "$candidate"
        COMPREPLY+=("${candidate/#\\~/\~}")
    done < <("${words[0]/#\~\//"$HOME"/}" __complete "${words[@]:1}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/,] ]] && compopt -o nospace
    return 0
}

complete -F _kgen kgen
