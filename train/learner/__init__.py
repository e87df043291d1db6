"""Networks that take a step: fast on a processor, and readable in torch."""
