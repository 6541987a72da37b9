"""Readers of what others wrote: TREC runs, qrels and workers' judgments."""

from regrade.readers.groups import read_groups, read_pool_origins
from regrade.readers.judgments import read_judgments
from regrade.readers.qrels import read_qrels
from regrade.readers.runs import read_runs

__all__ = ["read_groups", "read_judgments", "read_pool_origins", "read_qrels", "read_runs"]
