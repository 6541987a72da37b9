"""Speed and memory of regrade beside its peers: ``python -m benchmarks``."""
