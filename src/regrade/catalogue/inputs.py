"""What is read and scored."""

COLUMNS = """
submitted_rank  int32  rank that the run file gives
line  int32 [1..]  line in the run file
cluster  string?  items of one cluster were sampled together; null: the item is alone
repeat  string?  seed, fold or trial of the system; null: one
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
item-scores: scores of systems by item that a file brings; a higher value is better
    system topic measure judge? dataset repeat | cluster value
    judge = judge that scored the item; null: none is named
[score_qrels]
scores: every system's score on each topic
    system topic measure | value residual?
    residual = residual of the value; null where the measure has none
"""
