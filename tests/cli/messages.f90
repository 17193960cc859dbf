! SPDX-License-Identifier: BSD-3-Clause
! What tests/cli/test_messages.sh counts of Fortran: 10 doubles to the next rank, an allreduce of 1000.
program messages
   use MODULE
   implicit none
   integer :: rank, n, ierror
   double precision :: a(1000), b(1000)
   STATUS
   a = 1
   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, n, ierror)
   call MPI_Sendrecv(a, 10, MPI_DOUBLE_PRECISION, mod(rank + 1, n), 1, b, 10, MPI_DOUBLE_PRECISION, &
                     mod(rank + n - 1, n), 1, MPI_COMM_WORLD, status, ierror)
   call MPI_Allreduce(MPI_IN_PLACE, a, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
   call MPI_Finalize(ierror)
end program
