"""Benchmarks of speed and strength, each a program: `python -m benchmarks NAME`."""
