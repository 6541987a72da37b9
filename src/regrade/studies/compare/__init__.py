"""Two sets of judgments of the same documents, side by side."""
