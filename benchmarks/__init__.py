"""How fast and how good the parts are: a program each, started with `python -m benchmarks NAME`."""
