"""Chu et al.: evaluating relevance judgments with pairwise discriminative power.  CIKM 2021."""
