"""Pools: orders of documents, reduced qrels, scores under them, what leaving one out does."""
