"""Scores of systems by item, whatever scored them: benchmarks, answers, leaderboards.

`scores` has a set of them as it was read, and the arrays that methods take: values, and which
items belong to one cluster or data set, and repeats of a system; `notation` has measures as other
tools call them; `aligned` brings several judges' scores to equal axes.
"""
