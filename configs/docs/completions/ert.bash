# SPDX-License-Identifier: BSD-3-Clause
# bash completion: the commands and options that --help lists; otherwise files.
_ert_programs() {
    local word words=() typed=${COMP_WORDS[COMP_CWORD]}
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $word != -* ]] || break
        words+=("$word")
    done
    [[ $typed == -* ]] && word='--[a-z0-9-]+' || word='[a-z0-9-]+'
    mapfile -t COMPREPLY < <(compgen -W "$("$1" "${words[@]}" --help 2>/dev/null |
        sed -nE "s/^  ($word) .*/\1/p")" -- "$typed")
    [ ${#COMPREPLY[@]} -gt 0 ] && return
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$typed")
}
complete -F _ert_programs ert roofline ert-gpp ert-net
