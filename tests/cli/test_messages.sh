#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What an MPI program sends, as roofline record counts it: planted rows without MPI, then programs of known
# bytes (messages.c, messages.f90) with each MPI that is here.
command=record
. "$top_srcdir/tests/cli/roofline_fixture.sh"

record() {
    out=$1
    shift
    rm -rf "$out"
    "$roofline" record --with time --out "$out" --ceilings none.json "$@" 2>"$out.err"
}
has() { grep -q -e "$2" "$1"; }
is() { [ "$1" = "$2" ] || { echo "'$1', expected '$2'"; return 1; }; }
net() { grep -A1 '"level": "NET"' "$1/points.json" | sed -n 's/.*"count": *\([0-9]*\).*/\1/p'; }
value() { sed -n "s/.*\"$2\": *\([0-9.]*\).*/\1/p" "$1/points.json"; }

# ---- planted: what each rank writes, by a launcher's name ----
mkdir bin
cat >bin/mpirun <<'ROWS'
#!/bin/sh
row() { # RANK HOST CALL BYTES NET
    file=$RFL_MESSAGES/$1-7.tsv
    [ -e "$file" ] || echo "rank host ranks call size_bytes calls messages bytes net_bytes seconds" |
        tr ' ' '\t' >"$file"
    printf '%d\t%s\t3\t%s\t64\t1\t1\t%s\t%s\t0.5\n' "$@" >>"$file"
}
row 0 a MPI_Send 100 0
row 0 a received 30 30
row 1 a MPI_Send 200 150
row 1 a MPI_Bcast 1000 ${WRONG:-60}
row 1 a received 100 0
[ "$PLANT" = lost ] && exit
row 2 ${HOST:-b} MPI_Send 205 205
row 2 ${HOST:-b} received 0 0
ROWS
chmod +x bin/mpirun
export PATH="$scratch/bin:$PATH"
record planted -- mpirun -n 3 ./a.out
check "what the ranks of a host send to others, of the host that sends most" is "$(net planted)" 210
check "the host is named" has planted.err '210.0 B of them from a to other hosts'
check "what all send" is "$(value planted mpi_sent_bytes)" 1505
check "and receive, point to point" is "$(value planted mpi_received_bytes)" 130
check "time of the mean rank" is "$(value planted mpi_time_s)" 0.6666666666666666
check "all rows in one file" is "$(wc -l <planted/messages.tsv)" 8
# The messages of a program under what ert-net measured; its own values are lines.ndjson's.
net=$top_srcdir/tests/data/net/lines.ndjson
sed '/wrong\|timeout\|failed/d' "$net" >net.ndjson
check "the message roofline" prints 'MPI_Send' \
    "$roofline" plot --kind messages net.ndjson planted/messages.tsv
check "of mpiP, with collectives" prints 'MPI_Allreduce 8' \
    "$roofline" plot --kind messages net.ndjson "$top_srcdir/tests/data/mpip/ring.txt"
check "as a picture" answers 0 'net.svg' "$roofline" plot --kind messages --out net.svg net.ndjson
check "whose axes are its own" has net.svg 'Message size \[byte\]'
check "without a network" answers 3 'no latency, rate or bandwidth' \
    "$roofline" plot --kind messages planted/messages.tsv
"$plant" xeon xeon.json
check "ceilings without a network" answers 3 'ert-net --into FILE' \
    "$roofline" plot --kind ridgeline xeon.json planted/points.json
HOST=a record one -- mpirun -n 3 ./a.out
check "one host has no network" has one/points.json 'all 3 ranks were on one host'
PLANT=lost record lost -- mpirun -n 3 ./a.out
check "a rank that did not finish is said" has lost.err '2 of 3 ranks: the others did not come to MPI_Fin'
check "what is no number" answers 2 "net_bytes: 'many'" \
    env WRONG=many "$roofline" record --with time --out bad -- mpirun
printf '#!/bin/sh\n' >bin/srun
chmod +x bin/srun
record none -- srun true
check "no rank wrote" has none.err "does not use MPI"
record alone -- sh -c 'echo "${RFL_MESSAGES:-nothing} is preloaded"' >alone.out
check "another program is left alone" is "$(cat alone.out)" "nothing is preloaded"
rm bin/mpirun bin/srun

# ---- each MPI ----
OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_mpi_yield_when_idle

# row RANK CALL: bytes and net_bytes of its rows.
row() {
    awk -F'\t' -v rank="$1" -v call="$2" '$1 == rank && $4 == call { print $7, $8, $9 }' "$dir/messages.tsv"
}
# rows RANK CALL MESSAGES BYTES NET
rows() { check "$mpi: $2 of rank $1" is "$(row "$1" "$2" | tail -n 1)" "$3 $4 $5"; }

fortran() { # MODULE STATUS
    sed "s/MODULE/$1/; s/STATUS/$2/" "$top_srcdir/tests/cli/messages.f90" >"$1.f90"
    if ! "mpif90.$mpi" -o "$1.$mpi" "$1.f90" >"$1.log" 2>&1; then
        skip "$mpi: Fortran, $1" "mpif90.$mpi does not build it"
        return
    fi
    dir=$1-$mpi
    record "$dir" --hosts-by-rank 2 -- "mpirun.$mpi" -n 4 "./$1.$mpi"
    rows 1 MPI_Sendrecv 1 80 80
    rows 1 MPI_Allreduce 0 12000 4000
}

found=
for mpi in openmpi mpich; do
    if ! command -v "mpicc.$mpi" >/dev/null || ! command -v "mpirun.$mpi" >/dev/null; then
        continue
    fi
    found=yes
    check "$mpi: the program builds" "mpicc.$mpi" -Wno-stringop-overflow -o "program.$mpi" \
        "$top_srcdir/tests/cli/messages.c"
    dir=out-$mpi
    # Ranks 0 and 1 are n1, 2 and 3 n2; each sends to the next one.
    record "$dir" --hosts-by-rank 2 -- "mpirun.$mpi" -n 4 "./program.$mpi"
    rows 0 MPI_Send 1 80 0
    rows 1 MPI_Send 1 80 80
    rows 1 MPI_Isend 3 24000 24000
    rows 3 MPI_Startall 2 80 80
    rows 2 MPI_Startall 2 80 0
    rows 1 MPI_Sendrecv 1 56 56
    rows 0 received 7 24216 24216
    rows 1 received 7 24216 56
    # 2 (N - 1) / N of 8000: of 4 ranks 12000, of 2 hosts 8000, which 2 ranks share.
    rows 2 MPI_Allreduce 0 12000 4000
    rows 0 MPI_Ibcast 0 800 800
    rows 1 MPI_Ibcast 0 0 0
    rows 1 MPI_Alltoall 0 240 160
    rows 1 MPI_Allgather 0 240 80
    rows 0 MPI_Gather 0 0 0
    rows 1 MPI_Gather 0 80 0
    rows 2 MPI_Gather 0 80 80
    rows 0 MPI_Scatter 0 240 160
    rows 3 MPI_Scatter 0 0 0
    rows 1 MPI_Reduce 0 80 0
    rows 3 MPI_Reduce 0 80 40
    rows 3 MPI_Reduce_scatter 0 60 20
    check "$mpi: level NET" is "$(net "$dir")" 33752
    check "$mpi: all that is sent" is "$(value "$dir" mpi_sent_bytes)" 148544
    check "$mpi: and received" is "$(value "$dir" mpi_received_bytes)" 96864
    dir=ranks-$mpi
    rm -rf "$dir"
    "mpirun.$mpi" -n 4 "$roofline" record --with time --out "$dir" --ceilings none.json --hosts-by-rank 2 \
        -- "./program.$mpi" 2>"$dir.err"
    check "$mpi: a recorder for each rank counts the same" is "$(net "$dir")" 33752
    fortran mpi 'integer :: status(MPI_STATUS_SIZE)'
    fortran mpi_f08 'type(MPI_Status) :: status'
done
[ "$found" ] || skip "messages of a program" "neither mpicc.openmpi nor mpicc.mpich is here"
done_testing
