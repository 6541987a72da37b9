"""What unjudged documents leave open: residuals, and exact ranges of scores.

`residuals` has RBP over its persistence and the one nearest to a measure, `movements` how scores
move as judging goes on, `ranges` the exact ends of scores, `pairs` those of differences of two
systems.
"""
