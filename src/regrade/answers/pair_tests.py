"""The names of tests of pairs of systems and of corrections, as sentences have them."""

from __future__ import annotations

TESTS = {
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "randomisation": "randomisation test",
    "bootstrap": "bootstrap test",
    "tukey_hsd": "randomised Tukey HSD",
}

CORRECTED = {
    "none": "uncorrected",
    "bonferroni": "Bonferroni",
    "sidak": "Šidák",
    "holm": "Holm",
    "holm-sidak": "Holm–Šidák",
    "hochberg": "Hochberg",
    "hommel": "Hommel",
    "bh": "Benjamini–Hochberg",
    "by": "Benjamini–Yekutieli",
}


def test_of_pairs(test: str, correction: str, significance: float) -> str:
    """``paired t-test, α = 0.05, uncorrected``."""
    return f"{TESTS[test]}, α = {significance:g}, {CORRECTED[correction]}"
