"""Systems compared: tests of all pairs, and analysis of covariance.

`paired` is the library's one paired t-test, `clusters` the error of means over clusters of items,
`discrimination` tests all pairs, in many ways,
`corrections` are of p-values for their number;
`ancova` (by the least squares of `fits`) and `mixed` say what scores go back to, both by `cells` of
topic and system.
"""
