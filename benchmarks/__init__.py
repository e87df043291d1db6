"""How fast everything is: a program each, started with `python -m benchmarks NAME`."""
