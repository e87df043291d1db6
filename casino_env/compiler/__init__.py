"""Compiling kernels to machine code: the decorators that mark them, the numba back end, the compiled library."""
