# SPDX-License-Identifier: BSD-3-Clause
# fish completion: the commands and options that --help lists; otherwise files.
function __ert_programs
    set -l words
    for word in (commandline -opc)
        string match -q -- '-*' $word; and break
        set -a words $word
    end
    set -l row '[a-z0-9-]+'
    string match -q -- '-*' (commandline -ct); and set row '--[a-z0-9-]+'
    set -l found ($words --help 2>/dev/null | string replace -rf -- "^  ($row) .*" '$1' |
        string match -- (commandline -ct)'*')
    and printf '%s\n' $found
    or __fish_complete_path (commandline -ct)
end
for program in ert roofline ert-gpp ert-net
    complete -c $program -f -a '(__ert_programs)'
end
