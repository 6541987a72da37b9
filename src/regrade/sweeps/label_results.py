"""What comes out of a sweep of labels, as tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.cutsearch.means import mean_of_defined
from regrade.sweeps.axes import universe_numbers
from regrade.sweeps.counts import document_counts
from regrade.sweeps.curve import curve_tables
from regrade.sweeps.label_answer import answer
from regrade.sweeps.label_sweep import LabelSweep
from regrade.sweeps.options import ALL
from regrade.sweeps.parts import named
from regrade.sweeps.shares import outcome_shares
from regrade.sweeps.sweep import cut_table, entry_table
from regrade.sweeps.totals import SPLITS


def swept_labels(sweep: LabelSweep) -> dict[str, pd.DataFrame | pa.Table]:
    """All tables of a sweep of labels."""
    shares = outcome_shares(sweep, sweep.outcomes)[columns_of("label-sweeps/axes")]
    tables = {
        "levels": entry_table(sweep.design, sweep.labels, sweep.notes),
        "cuts": cut_table(sweep.labels),
        "universes": universe_table(sweep),
        "entries": outcome_table(sweep),
        "axes": shares,
        "documents": document_table(sweep),
        **curve_tables(sweep, sweep.outcomes),
    }
    facts = [fact_table(sweep, tables["documents"]), document_counts(sweep, tables["documents"])]
    tables["facts"] = pd.concat(facts, ignore_index=True)
    tables["answer"] = answer(sweep, tables).to_frame()
    return tables


def universe_table(sweep: LabelSweep) -> pa.Table:
    """The universes, by label and then by condition; ``label-sweeps/universes``."""
    design, conditions = sweep.design, sweep.design.conditions
    count = len(conditions.codes)
    parts = []
    for e, labels in enumerate(sweep.labels):
        n = len(labels)
        codes = np.tile(conditions.codes, (n, 1))
        numbers = universe_numbers(labels.keys()[:, None], conditions.keys[None])
        start = int(sweep.counts[:e].sum())
        own = {name: of[start : start + n].reshape(-1) for name, of in sweep.outcomes.items()}
        columns = {
            "universe": numbers.reshape(-1),
            "labels": named(np.zeros(n * count, dtype=np.int64), [labels.entry.text]),
            "thresholds": named(np.repeat(np.arange(n), count), labels.cuts()),
            **{a.name: named(codes[:, i], a.levels) for i, a in enumerate(conditions.axes)},
            "changed_choices": np.tile(design.differing, n) + (e != design.baseline_entry),
            **{name: pa.array(values, from_pandas=True) for name, values in own.items()},
        }
        schema = SCHEMAS["label-sweeps/universes"]
        parts.append(pa.table(columns).select(schema.names).cast(schema))
    return pa.concat_tables(parts).unify_dictionaries()


def outcome_table(sweep: LabelSweep) -> pd.DataFrame:
    """Outcomes over the universes of each entry of each axis; ``label-sweeps/entries``."""
    conditions = sweep.design.conditions
    weights = np.repeat(1.0 / sweep.counts, sweep.counts)[:, None] * conditions.weights
    of_label = np.repeat(np.arange(len(sweep.labels)), sweep.counts)
    groups = [(None, None, np.ones((1, 1), dtype=bool))]
    for e, labels in enumerate(sweep.labels):
        groups.append(("labels", labels.entry.text, (of_label == e)[:, None]))
    for a, axis in enumerate(conditions.axes):
        names, place = conditions.entries(a)
        groups += [(axis.name, name, (place == e)[None]) for e, name in enumerate(names)]
    rows = []
    for axis, entry, chosen in groups:
        for outcome, values in sweep.outcomes.items():
            known = chosen & ~np.isnan(values)
            own, numbers = values[known], [None] * 5
            if len(own):  # lowest, quartiles and median by weight, highest
                order = np.argsort(own, kind="stable")
                own, reached = own[order], np.cumsum(weights[known][order])
                shares = np.array([0.25, 0.5, 0.75]) * reached[-1] - 1e-12
                places = np.minimum(np.searchsorted(reached, shares), len(own) - 1)
                numbers = own[0], *own[places], own[-1]
            rows.append((axis, entry, outcome, len(own), *numbers))
    return pd.DataFrame(rows, columns=columns_of("label-sweeps/entries"))


def document_table(sweep: LabelSweep) -> pd.DataFrame:
    """What label each document gets over all labels; ``label-sweeps/documents``.

    Documents are those that the baseline labels.
    """
    base = sweep.baseline_levels
    at = np.flatnonzero(base >= 0)
    shares = sweep.shares[:, at]
    labelled = shares.any(axis=2)
    each = shares.sum(axis=0) / labelled.sum(axis=0)[:, None]
    same_of = np.take_along_axis(shares, base[at][None, :, None], axis=2)[:, :, 0]
    texts = [labels.entry.text for labels in sweep.labels]
    changed_at = [
        ", ".join(text for text, same, has in zip(texts, own, known, strict=True)
                  if has and same < 0.5) or None
        for own, known in zip(same_of.T, labelled.T, strict=True)
    ]  # fmt: skip
    has = each > 0
    topics, docnos = zip(*sweep.documents.keys[at], strict=True)
    return pd.DataFrame(
        {
            "topic": topics,
            "docno": docnos,
            "grade": base[at].astype(float),
            "entries": labelled.sum(axis=0),
            "same": np.take_along_axis(each, base[at][:, None], axis=1)[:, 0].clip(0, 1),
            "low": has.argmax(axis=1).astype(float),
            "high": (has.shape[1] - 1 - has[:, ::-1].argmax(axis=1)).astype(float),
            "holds": has.sum(axis=1) == 1,
            "changed_at": changed_at,
        }
    )[columns_of("label-sweeps/documents")]


def fact_table(sweep: LabelSweep, documents: pd.DataFrame) -> pd.DataFrame:
    """The table ``label-sweeps/facts``."""
    at = sweep.design.baseline["topics"]

    def alpha(topics: str) -> float:
        return float(mean_of_defined(sweep.baseline_alphas[None, sweep.topic_rows(topics)])[0])

    halves = None
    if len(sweep.documents.topics) >= 4 and at == ALL:
        splits = [(f"half {n}a", f"half {n}b") for n in range(1, SPLITS + 1)]
        halves = float(np.mean([abs(alpha(first) - alpha(other)) for first, other in splits]))
    defined = int(np.isfinite(sweep.outcomes["alpha"]).sum())
    facts = [
        ("universes", sweep.universes, "combinations of choices"),
        ("undefined", sweep.universes - defined, "of them without α: on too few topics, or none"),
        ("labels", int(sweep.counts.sum()), "ways to label"),
        ("topics", len(sweep.documents.topics), "topics of the baseline's labels"),
        ("documents", len(documents), "documents that the baseline labels"),
        ("holds", int(documents["holds"].sum()), "documents with one level under all labels"),
        ("alpha", alpha(at), "α at the baseline"),
        ("halves", halves,
         f"difference of α between halves of the topics at the baseline, mean of {SPLITS} splits"),
        ("splits", SPLITS, "splits at random"),
        ("seed", sweep.design.seed, "of what is drawn"),
    ]  # fmt: skip
    return pd.DataFrame(facts, columns=["quantity", "value", "note"])
