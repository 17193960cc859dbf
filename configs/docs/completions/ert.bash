# SPDX-License-Identifier: BSD-3-Clause
# bash completion: the programs themselves say what fits (ert_complete, ert/core/base/program.h).
_ert_programs() {
    local line suffix word words=() typed
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do # --name=value are three words here
        [ "$word" = = ] || words+=("$word")
    done
    [ "$word" != = ] || words+=("")
    typed=${words[-1]}
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :files*)
            suffix=${line#:files}
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -X "${suffix:+!*.${suffix# }}" -- "$typed"
                [ -z "$suffix" ] || compgen -d -- "$typed") ;;
        :folders)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -d -- "$typed") ;;
        :programs) mapfile -t COMPREPLY < <(compgen -c -- "$typed") ;;
        *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <("$1" --complete "${words[@]}" 2>/dev/null)
}
complete -F _ert_programs ert roofline ert-gpp ert-net
