"""How tables and figures name criteria of cuts."""

from __future__ import annotations

from regrade.choices import CUT_CRITERIA

OTHERS = {"source_alpha": "α nearest to source's", "significant_pairs": "significant pairs"}


def criterion_label(name: str) -> str:
    """A criterion in words: ``kappa@So4`` is Cohen's κ, ``tau@TR2`` names its expert.

    Examples
    --------
    >>> criterion_label("kappa@So4"), criterion_label("tau@TR2")
    ("Cohen's κ", 'τ_b with TR2')
    """
    base, _, against = name.partition("@")
    if base == "tau":
        return f"τ_b with {against}"
    return CUT_CRITERIA.get(base) or OTHERS.get(base, name)
