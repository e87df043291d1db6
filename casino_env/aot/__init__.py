"""Machine code ahead of time: the library of kernels, for Python and for C."""
