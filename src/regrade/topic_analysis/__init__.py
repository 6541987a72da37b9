"""Topics: which are hard, which separate systems, which decide a pair, on which labels disagree.

`topic_tables` has a row for each topic, the scores behind it, and documents whose labels differ.
"""
