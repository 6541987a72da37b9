"""What the questions of the library share: any form of input, and results as small objects.

The functions stand in their subjects' folders, as `question`; `regrade` exports them. Input may be
paths, frames of pandas or polars (by narwhals), Arrow tables, dicts as in pytrec_eval and tuples of
ir_measures. `sets` reads them by `regrade.readers`, `item_scores` reads scores by item, `pipes`
reads once; `designs` takes scores in place of labels and runs. `results` has the common parts of
results, `plots` their figures. `scores` and `look` are of all subjects.
"""
