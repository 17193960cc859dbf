! SPDX-License-Identifier: BSD-3-Clause
! Regions of a Fortran program: compile this file and rfl_region_fortran.c along with it.
!
!     use rfl_region
!     call rfl_region_begin("triad")
!     ...
!     call rfl_region_end("triad")
!     call rfl_region_work("triad", 2d0 * n, 24d0 * n)
!
! rfl_region.h says what they do.
module rfl_region
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_null_char
    implicit none
    private
    public :: rfl_region_begin, rfl_region_end, rfl_region_work

    interface
        subroutine begin_in_c(name) bind(c, name="rfl_region_fortran_begin")
            import :: c_char
            character(kind=c_char), intent(in) :: name(*)
        end subroutine
        subroutine end_in_c(name) bind(c, name="rfl_region_fortran_end")
            import :: c_char
            character(kind=c_char), intent(in) :: name(*)
        end subroutine
        subroutine work_in_c(name, flops, bytes) bind(c, name="rfl_region_fortran_work")
            import :: c_char, c_double
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), value :: flops, bytes
        end subroutine
    end interface

contains

    subroutine rfl_region_begin(name)
        character(len=*), intent(in) :: name
        call begin_in_c(trim(name)//c_null_char)
    end subroutine

    subroutine rfl_region_end(name)
        character(len=*), intent(in) :: name
        call end_in_c(trim(name)//c_null_char)
    end subroutine

    ! Operations in floating point, and bytes that must come from and go to memory.
    subroutine rfl_region_work(name, flops, bytes)
        character(len=*), intent(in) :: name
        real(c_double), intent(in) :: flops, bytes
        call work_in_c(trim(name)//c_null_char, flops, bytes)
    end subroutine
end module
