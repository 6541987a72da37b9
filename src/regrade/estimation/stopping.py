"""Whether more labels are needed: what is settled, however often one has looked.

An interval that is looked at after each batch, until it says something, errs more often than once.
Here the k-th look spends α / (k (k + 1)) of the error, which adds up to α over all looks (a union
bound: valid for looks that go together in any way, and for batches that rest on what was seen).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtri

from regrade.blocks import Blocks, blocks_of
from regrade.catalogue import ALL_TOPICS
from regrade.errors import ParameterError
from regrade.estimation.assignment import check_aim
from regrade.estimation.replays import Z
from regrade.kendall import TOLERANCE

_NUMBERS = ("difference", "low", "high", "same_rankings")

ERROR = 0.05
"""How often what is called settled may be wrong, over all looks together."""


@dataclass(frozen=True, eq=False)
class Look:
    """How often one has looked, and with how many labels.

    Attributes
    ----------
    batches
        How many batches there are, each of which was looked at.
    labels, documents
        How many documents are labelled, of how many.
    """

    batches: int
    labels: int
    documents: int

    def reach(self, tests: int = 1, later: int = 0) -> float:
        """Standard errors by which a difference must be off 0."""
        k = self.batches + later
        return float(ndtri(1 - ERROR / (2 * tests * k * (k + 1))))


def settled_by_measure(
    tables: Mapping[str, pd.DataFrame | Blocks], aim: str | int
) -> tuple[pd.DataFrame, dict[str, list[str]], dict[str, list[str]]]:
    """What is settled by each measure, from the tables of estimates, and the first systems.

    The last one are others that rank the same documents as one of the first: no label settles that.

    Raises
    ------
    ParameterError
        If there are no systems, no more than are aimed at, or there is no such aim.
    """
    if "systems" not in tables:
        raise ParameterError("the stopping rule is about the order of systems: give runs")
    check_aim(aim, ("undecided",))
    facts = tables["facts"].set_index(["measure", "quantity"])["value"][ALL_TOPICS]
    look = Look(*(int(facts[name]) for name in ("batches", "labelled", "documents")))
    k = None if aim == "undecided" else int(aim)
    if k is not None and k >= facts["systems"]:
        raise ParameterError(f"aim is {k}, and there are {facts['systems']:.0f} systems")
    rows, leaders, same = [], {}, {}
    for measure, systems in tables["systems"].groupby("measure", sort=False, observed=True):
        leaders[measure] = systems["system"].tolist()[:k]
        parts = []
        for some in blocks_of(tables["pairs"]):
            own = some[some["measure"] == measure]
            if k is not None:  # few of many
                first, other = (own[one].isin(leaders[measure]) for one in ("system", "other"))
                own = own[first & ~other]
            parts.append(own if k is not None else own[[*_NUMBERS]])
        pairs = pd.concat(parts, ignore_index=True)
        rows.append({"measure": measure, **settled(pairs, look, k)})
        if k is not None:
            same[measure] = [*dict.fromkeys(pairs.loc[pairs["same_rankings"], "other"])]
    return pd.DataFrame(rows), leaders, same


def settled(pairs: pd.DataFrame, look: Look, first: int | None = None) -> dict[str, float]:
    """What is settled of one measure, and what no label can settle."""
    if first is not None:
        is_first = [*dict.fromkeys(pairs["system"])][:first]
        pairs = pairs[pairs["system"].isin(is_first) & ~pairs["other"].isin(is_first)]
    same = pairs["same_rankings"].to_numpy(bool)
    counts = {"pairs": len(pairs), "same": int(same.sum())}
    tests = 1 if first is None else len(pairs)
    pairs = pairs[~same]
    if pairs["low"].isna().any():
        return counts | {"open": np.nan, "more": np.nan}
    # one end may be that of the measure
    reach = np.maximum(pairs["difference"] - pairs["low"], pairs["high"] - pairs["difference"])
    errors, apart = reach.to_numpy() / Z, np.abs(pairs["difference"].to_numpy())
    is_open = ~((apart > look.reach(tests) * errors) & (apart > TOLERANCE))
    more = _more(apart[is_open], errors[is_open], look, tests)
    reached = 0.0 if not len(more) else more.max() if first is not None else np.median(more)
    return counts | {"open": int(is_open.sum()), "more": float(reached)}


def _more(apart: np.ndarray, errors: np.ndarray, look: Look, tests: int) -> np.ndarray:
    """Labels that each difference still needs, if it is what it seems to be.

    An error's square falls as 1 / n − 1 / N: it is 0 where all N documents are labelled.
    """
    n, N = look.labels, look.documents
    now = 1 / n - 1 / N
    needed = (apart / look.reach(tests, later=1)) ** 2
    share = np.divide(needed, errors**2, out=np.zeros(len(apart)), where=errors > 0)
    return np.ceil(1 / (1 / N + np.minimum(share, 1) * now) - n)
