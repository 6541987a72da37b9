"""What unjudged documents leave open: residuals, and exact ranges of scores."""
