"""What is read and scored."""

COLUMNS = """
submitted_rank  int32  rank that the run file gives
line  int32 [1..]  line in the run file
"""

TABLES = """
[collect_runs]
runs: the runs in canonical order of ties, sorted by system, topic and rank
    system topic rank | docno score submitted_rank line
    score = as submitted
[collect_set]
qrels: the labels of documents; an unjudged document has no row
    topic docno | grade
judgments: a row for each value that a worker gave
    topic docno worker! unit position | value seconds back failed
preferences: preference judgments of pairs of documents; null where unknown or not asked
    topic left right sides worker unit position | strength seconds left_score right_score
    left_relevant right_relevant trusted test:bool? partition
    test = whether it is a test question with a known answer
    left = document shown on the left; without sides, the first by name
[score_qrels]
scores: every system's score on each topic
    system topic measure | value residual?
    residual = residual of the value; null where the measure has none
"""
