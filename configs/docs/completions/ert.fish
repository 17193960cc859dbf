# SPDX-License-Identifier: BSD-3-Clause
# fish completion: the programs themselves say what fits (ert_complete, ert/core/base/program.h).
function __ert_programs
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l option (string match -r -- '^--[^=]*=' $typed)
    if test -n "$option"
        set -a words (string trim -rc = -- $option)
        set typed (string replace -- $option '' $typed)
    end
    for line in ($words[1] --complete $words[2..] "$typed" 2>/dev/null)
        switch $line
            case ':files *'
                __fish_complete_path "$typed" |
                    string match -er '/(\t|$)|[.]'(string replace ':files ' '' $line)'(\t|$)'
            case :files
                __fish_complete_path "$typed"
            case :folders
                __fish_complete_directories "$typed"
            case :programs
                __fish_complete_command
            case '*'
                printf '%s\n' "$option$line"
        end
    end
end
for program in ert roofline ert-gpp ert-net
    complete -c $program -f -a '(__ert_programs)'
end
