"""How kernels become machine code: the decorators that mark them, numba behind these, and compiling all of them."""
