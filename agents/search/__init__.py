"""Search in determinizations: complete games that agree with what a seat knows."""
