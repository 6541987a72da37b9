"""Readers of what others wrote: TREC runs, qrels and workers' judgments."""

from regrade.readers.judgments import read_judgments
from regrade.readers.qrels import read_qrels
from regrade.readers.runs import read_runs

__all__ = ["read_judgments", "read_qrels", "read_runs"]
