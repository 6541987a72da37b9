"""One label per document from several judges.

`votes` counts labels (majority, median, mean, weighted votes), `models` estimates how reliable each
judge is without a reference (Dawid–Skene, one-coin), and `rules` is the one way in: an array of
judges × documents, a rule, and what the consensus rests on. `sets` makes the array of sets and a
set of the consensus, `rescaling` says which scales go together, `answer` what came out.
"""
