#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a Tab gives in each shell: our scripts in the shells themselves, the programs behind them.
. "$top_srcdir/tests/tap.sh"
scripts=$(cd "$top_srcdir/configs/docs/completions" && pwd)
build=$(cd "$top_builddir" && pwd)
PATH=$build/ert:$build/analysis:$build/gpp:$build/ert/ext/net:$PATH
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
mkdir folder
touch ceilings.json
export HOME="$place" TERM=dumb

# Each prints what is offered for the last of the words, which may be "", one a line.
offers_bash() {
    bash --norc -c '. "$0/ert.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ert_programs "$1"
        printf "%s\n" "${COMPREPLY[@]}"' "$scripts" "$@"
}
offers_fish() {
    local line
    line=$(printf '%s ' "$@")
    fish --no-config -c "source $scripts/ert.fish; complete -C '${line% }'" | cut -f1
}
# zsh completes only what is typed at a terminal: the line as a Tab leaves it, its last word. A system's own
# files may have set PATH anew.
offers_zsh() {
    local line
    line=$(printf '%s ' "$@")
    line=${line% } scripts=$scripts tools=$PATH zsh -f <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1= PATH=$tools; fpath=($scripts $fpath); autoload -Uz compinit; compinit -u -D'
zpty -w shell 'show() { print -r "<""$BUFFER"">"; BUFFER= }; zle -N show'
zpty -w shell 'bindkey "^I" complete-word "^X" show; print -r re""ady'
zpty -r shell seen '*ready*'
zpty -w -n shell "$line"$'\t\C-x'
zpty -r shell seen '*<*>*'
seen=${${seen##*<}%%>*}
seen=${seen% }
print -r -- "${${seen##* }##*=}"
ZSH
}

# one WANTED WORD...: it alone is offered.
one() {
    local wanted=$1 got
    shift
    got=$("offers_$shell" "$@" | sed 's,/$,,; s/^--[a-z]*=//')
    [ "$got" = "$wanted" ] || { echo "offered:" $got; return 1; }
}
# many WORD...: these words, and the wanted ones are among what is offered.
many() {
    local wanted=$1 got
    shift
    got=" $("offers_$shell" "$@" | tr '\n' ' ')"
    for word in $wanted; do
        case $got in *" $word "*) ;; *) echo "$word is not in:$got"; return 1 ;; esac
    done
}

for shell in bash zsh fish; do
    if ! command -v $shell >/dev/null; then
        skip "completion in $shell" "no $shell (Debian: $shell)"
        continue
    fi
    check "$shell: a command" one verify ert ver
    check "$shell: a command of a command" one merge ert fleet me
    check "$shell: an option" one --dry-run ert run --dry
    check "$shell: behind another option" one --trajectory roofline plot --out x.svg --tra
    check "$shell: a file" one ceilings.json ert show c
    check "$shell: a folder" one folder ert run --out f
    check "$shell: of ert-gpp" one --reference ert-gpp run --ref
    if [ -x "$build/ert/ext/net/ert-net" ]; then
        check "$shell: of ert-net" one --hosts-by-rank ert-net --ho
    else
        skip "$shell: of ert-net" "built without MPI"
    fi
    [ $shell = zsh ] || check "$shell: all commands" many "run show fleet" ert ""
done
# As a login shell finds it, by the command's name.
if [ -f /usr/share/bash-completion/bash_completion ] && command -v bash >/dev/null; then
    mkdir -p share/completions
    cp "$scripts/ert.bash" share/completions/roofline
    export BASH_COMPLETION_USER_DIR="$place/share"
    check "bash-completion finds the script" prints _ert_programs bash --norc -c \
        '. /usr/share/bash-completion/bash_completion; _completion_loader roofline; complete -p roofline'
else
    skip "bash-completion finds the script" "no bash-completion (Debian: bash-completion)"
fi
done_testing
