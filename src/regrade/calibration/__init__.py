"""From a judge's values to the probability of each of people's grades.

`maps` fits, `held_out` does so without the documents, or the topics, that are looked at, `sets`
makes sets of grades that hold a new document's as often as said, and `judge_calibration` holds all
of that beside the best cut of the same values: is a cut enough?
"""
