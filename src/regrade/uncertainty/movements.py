"""How scores move when more documents are judged, beside the residual they had (yang2019 §4.9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import pyarrow as pa

from regrade.catalogue import columns_of
from regrade.errors import ParameterError, check_choice
from regrade.kendall import TOLERANCE, tau_b
from regrade.measures import Measure, parse, parse_all
from regrade.significance.paired import differences

_KEYS = ["system", "topic", "measure"]


def score_movements(
    shallow: Mapping[int, pa.Table],
    baseline: pa.Table,
    *,
    residual: str | Measure = "RBP(p=0.98)",
    measures: Sequence[str | Measure] | None = None,
) -> pd.DataFrame:
    """How scores under shallow judgments differ from those under a baseline (Figures 4.8–4.9)."""
    if not shallow:
        raise ParameterError("no shallow judgments: give the scores under at least one depth")
    name = str(parse(residual))
    deep = _plain(baseline).drop(columns="residual").rename(columns={"value": "baseline"})
    if measures is None:
        names = list(deep["measure"].unique())
    else:
        names = [str(measure) for measure in parse_all(measures)]
        _check_measures(names, deep, "the baseline")

    parts = []
    for depth, table in shallow.items():
        scores = _plain(table)
        _check_measures([*names, name], scores, f"depth {depth}")
        own = scores.loc[scores["measure"] == name, ["system", "topic", "residual"]]
        if own["residual"].isna().any():
            raise ParameterError(f"{name} has no residual: take one that has, such as RBP(p=0.98)")
        both = scores.drop(columns="residual").merge(
            deep[deep["measure"].isin(names)], on=_KEYS, validate="one_to_one"
        )
        both = both.merge(own, on=["system", "topic"], validate="many_to_one")
        parts.append(both.assign(depth=depth))
    moved = pd.concat(parts, ignore_index=True)
    moved["difference"] = differences(moved["value"], moved["baseline"])
    moved["ratio"] = moved["value"] / moved["baseline"].where(moved["baseline"] > TOLERANCE)
    place = moved["measure"].map(names.index)
    moved = moved.assign(place=place).sort_values(["place", "depth", "system", "topic"])
    return moved[columns_of("pools/movements")].reset_index(drop=True)


def movement_shares(movements: pd.DataFrame) -> pd.DataFrame:
    """Shares of rankings whose score grows, stays or falls as judgments are added (Table 4.7)."""
    groups = movements.groupby(["measure", "depth"], sort=False, observed=True)["difference"]
    return groups.agg(
        rankings="size",
        below=lambda d: (d < 0).mean(),
        equal=lambda d: (d == 0).mean(),
        above=lambda d: (d > 0).mean(),
    ).reset_index()


def movement_correlations(movements: pd.DataFrame) -> pd.DataFrame:
    """Kendall's τ_b of residuals and movements, over all depths together (Table 4.8)."""
    rows = []
    for measure, group in movements.groupby("measure", sort=False, observed=True):
        divided = group[group["ratio"].notna()]
        tau = tau_b(group["residual"].to_numpy(), group["difference"].to_numpy())
        row = {"measure": measure, "rankings": len(group), "tau_difference": tau}
        tau = tau_b(divided["residual"].to_numpy(), divided["ratio"].to_numpy())
        rows.append(row | {"ratios": len(divided), "tau_ratio": tau})
    return pd.DataFrame(rows)


def _plain(table: pa.Table) -> pd.DataFrame:
    """A table of schema ``scores`` with names as strings."""
    return table.to_pandas().astype(dict.fromkeys(_KEYS, str))


def _check_measures(names: Sequence[str], scores: pd.DataFrame, where: str) -> None:
    known = list(scores["measure"].unique())
    for name in names:
        check_choice(f"measure under the judgments of {where}", name, known)
