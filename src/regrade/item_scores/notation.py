"""Measures as other tools call them, in our notation where they are the same measure."""

from __future__ import annotations

import re

from regrade.errors import ParameterError
from regrade.measures import parse

_ALONE = {
    "map": "AP",
    "ndcg": "nDCG",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "infAP": "infAP",
    "mrr": "RR",
    "r-precision": "Rprec",
}
_AT_A_RANK = {
    "P": "P",
    "recall": "R",
    "success": "Success",
    "ndcg_cut": "nDCG",
    "map_cut": "AP",
    "iprec_at_recall": "IPrec",
    "ndcg_at": "nDCG",
    "map_at": "AP",
    "precision_at": "P",
    "recall_at": "R",
}
"""Measures of trec_eval, ranx and MTEB that are ours, by themselves and at a rank or a recall."""

_RANX = {
    "precision": "P",
    "recall": "R",
    "hit_rate": "Success",
    "ndcg": "nDCG",
    "map": "AP",
    "mrr": "RR",
}
"""Those of ranx that are ours, before ``@`` and a rank, and ``-l`` and a level."""


def our_measure(name: str) -> str | None:
    """A measure in our notation: ``ndcg_cut_10`` is ``nDCG@10``; ``None`` of one that is not ours.

    Examples
    --------
    >>> our_measure("ndcg_cut_10"), our_measure("map"), our_measure("WER")
    ('nDCG@10', 'AP', None)
    """
    name = name.strip()
    of_ranx = re.fullmatch(r"([a-z_]+)(?:@(\d+))?(?:-l(\d+))?", name)
    if of_ranx and of_ranx[1] in _RANX and (of_ranx[2] or of_ranx[3]):
        if of_ranx[3] and of_ranx[1] == "ndcg":
            return None  # gains of lower grades are left out there
        level = f"(rel={of_ranx[3]})" if of_ranx[3] else ""
        name = f"{_RANX[of_ranx[1]]}{level}" + (f"@{of_ranx[2]}" if of_ranx[2] else "")
    elif name in _ALONE:
        name = _ALONE[name]
    elif (at := re.fullmatch(r"([A-Za-z_]+?)[_.](\d+(?:\.\d+)?)", name)) and at[1] in _AT_A_RANK:
        name = f"{_AT_A_RANK[at[1]]}@{float(at[2]):g}"
    try:
        return str(parse(name))
    except (ParameterError, ValueError, SyntaxError):
        return None
