"""Does the number of grades pay, and which cut keeps the most: sets cut into fewer levels.

A set is cut where its documents fall into parts as equal as can be (``even``), or where it keeps
the most discrimination (``power``, see `regrade.power.cuts`), beside the cuts that agree best,
which the search of cuts found.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd

from regrade.aggregation import aggregate
from regrade.agreement import alpha
from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, LEVEL_CUT_COLUMNS, columns_of
from regrade.choices import POWER_MODES
from regrade.cutsearch.thresholds import Thresholds
from regrade.kendall import tau_b
from regrade.power.cuts import CutPower
from regrade.power.label_sets import GradedSet, PowerInputs, Systems, discrimination_of
from regrade.power.preferences import Graded, PreferenceTests
from regrade.power.topics import Lists, PowerOptions, power_table
from regrade.scales import Scale
from regrade.tables import read_table

log = logging.getLogger(__name__)

UNCUT = 0
"""The number of levels of a set as it is."""

AS_IT_IS, EVEN, POWER, AGREEMENT = "as it is", "even", "power", "agreement"
"""How the cut of a set was chosen."""

_OF = ["preferences", "set", "mode", "list"]


@dataclass(frozen=True)
class CutOptions:
    """Which sets are cut by the search, and how far it goes.

    Attributes
    ----------
    scales
        Set → its scale.
    levels
        Into how many.
    grids
        (set, levels) → at most how many thresholds are tried, as in a transformation; absent:
        the usual.
    evaluated
        Of how many cuts, those of the least pairwise entropy, PDP is computed.
    individually
        The same where documents of a level differ by assessor, which takes a fit for each topic.
    threads
        Threads to use; the result does not depend on it.
    """

    scales: Mapping[str, Scale]
    levels: Sequence[int]
    grids: Mapping[tuple[str, int], int | None]
    evaluated: int = 200
    individually: int = 10
    threads: int = 1


@dataclass(frozen=True)
class Agreeing:
    """What a search of cuts by agreement found.

    Attributes
    ----------
    transformation, search
        Of which it is the search, and its name.
    source, levels
        Of its transformation.
    best_cuts, alpha
        Its tables.
    """

    transformation: str
    search: str
    source: str
    levels: int
    best_cuts: pd.DataFrame
    alpha: pd.DataFrame

    @property
    def cut(self) -> np.ndarray:
        """The one cut for all topics; NaN where there is none."""
        row = self.best_cuts[self.best_cuts["topic"].astype(str) == ALL_TOPICS].iloc[0]
        return row[list(CUT_COLUMNS[: self.levels - 1])].to_numpy(dtype=float)

    def alpha_of(self, cut: np.ndarray) -> float:
        """Mean α of a cut over topics; NaN for one that was not tried."""
        tried = self.alpha[list(CUT_COLUMNS[: self.levels - 1])].to_numpy(dtype=float)
        places = np.flatnonzero((np.abs(tried - cut) <= 1e-9).all(axis=1))
        return float(self.alpha["mean"].iloc[places[0]]) if len(places) else np.nan


@dataclass(frozen=True)
class CutSearches:
    """What the searches of transformations found for sets whose power is compared.

    Attributes
    ----------
    grids
        (source, levels) → at most how many thresholds are tried.
    agreeing
        What each search found.
    """

    grids: Mapping[tuple[str, int], int | None]
    agreeing: Sequence[Agreeing]


def read_cut_searches(paths: Mapping, params: Mapping) -> CutSearches:
    """The searches that a job is told of, read from their tables."""
    agreeing = []
    files = zip(params["searches"], paths["best_cuts"], paths["alpha"], strict=True)
    for (transformation, source, levels, name), *tables in files:
        schemas = ("cuts/best_cuts", "cuts/alpha")
        frames = (read_table(*of).to_pandas() for of in zip(tables, schemas, strict=True))
        agreeing.append(Agreeing(transformation, name, source, levels, *frames))
    grids = {(source, levels): grid for source, levels, grid in params["grids"]}
    return CutSearches(grids, agreeing)


def searched_table(inputs: PowerInputs, search: CutOptions) -> pd.DataFrame:
    """PDP of every cut that was evaluated (table ``power/searched``)."""
    how, parts = inputs.how, []
    for (name, tests), labels, mode, of in product(
        inputs.preferences.items(), inputs.sets, how.modes, inputs.lists
    ):
        if labels.name in search.scales:
            key = dict(zip(_OF, (name, labels.name, mode, of.name), strict=True))
            tables = _searched(labels, mode, tests, of, how, search)
            parts += [table.assign(**key) for table in tables]
    return _concat(parts, columns_of("power/searched"))


def no_search() -> pd.DataFrame:
    """The table of nothing searched."""
    return pd.DataFrame(columns=columns_of("power/searched"))


def _searched(
    labels: GradedSet,
    mode: str,
    tests: PreferenceTests,
    of: Lists,
    how: PowerOptions,
    search: CutOptions,
) -> Iterator[pd.DataFrame]:
    """The evaluated cuts of one set, a table for each number of levels."""
    graded = labels.graded.in_mode(mode)
    counted: dict[tuple, CutPower] = {}
    for levels in search.levels:
        if levels >= len(graded.values):
            continue
        grid = search.grids.get((labels.name, levels))
        scale = search.scales[labels.name]
        thresholds = Thresholds.of(scale, levels, graded.values, grid)
        key = tuple(thresholds.values)
        if key not in counted:
            counted[key] = CutPower.of(graded, tests, of, thresholds)
        power = counted[key]
        places = power.candidates(len(thresholds.values), levels)
        entropies = power.pair_entropies(places)
        most = search.evaluated if power.is_exact else search.individually
        best = np.argsort(entropies, kind="stable")[:most]
        cuts = thresholds.values[places[best]]
        if power.is_exact:
            powers = power.powers(places[best], search.threads)
        else:
            powers = _fitted(graded, tests, of, cuts, how)
        log.info("%s, %s, %s: %d of %d cuts", labels.name, mode, of.name, len(best), len(places))
        columns = {"levels": levels, "cuts": len(places), "place": np.arange(1, len(best) + 1)}
        columns |= {"pair_entropy": entropies[best]} | _columns(cuts)
        yield pd.DataFrame(columns | {"entropy": powers, "standard_error": 0.0})


def _fitted(graded, tests, of, cuts, how) -> np.ndarray:
    """PDP of each cut."""
    how = replace(how, modes=["individual"])
    tables = (power_table(graded.cut(cut), tests, [of], how).iloc[-1] for cut in cuts)
    return np.array([float(row["entropy"]) for row in tables])


def _columns(cuts: np.ndarray) -> dict[str, np.ndarray]:
    """The thresholds of (C, k − 1) cuts by their columns."""
    free = np.full((len(cuts), len(LEVEL_CUT_COLUMNS) - cuts.shape[1]), np.nan)
    return dict(zip(LEVEL_CUT_COLUMNS, np.hstack([cuts, free]).T, strict=True))


def _thresholds(row: pd.Series) -> np.ndarray:
    cut = row[list(LEVEL_CUT_COLUMNS)].to_numpy(dtype=float)
    return cut[~np.isnan(cut)]


def best_searched(searched: pd.DataFrame) -> pd.DataFrame:
    """Of each search the cut with the least PDP, of equal ones the lexicographically first."""
    searched = searched.astype(dict.fromkeys(_OF, str))
    rounded = searched["entropy"].astype(float).round(10)
    ordered = searched.assign(rounded=rounded).sort_values(["rounded", *LEVEL_CUT_COLUMNS])
    return ordered.drop_duplicates([*_OF, "levels"]).drop(columns="rounded").sort_index()


def cut_table(
    inputs: PowerInputs, searched: pd.DataFrame, agreeing: Sequence[Agreeing]
) -> pd.DataFrame:
    """The cut that keeps the most discrimination beside others (table ``power/cuts``)."""
    by_set, by_list = ({of.name: of for of in named} for named in (inputs.sets, inputs.lists))
    rows = []
    for _, best in best_searched(searched).iterrows():
        labels, kept, least = by_set[best["set"]], _thresholds(best), float(best["entropy"])
        graded = labels.graded.in_mode(best["mode"])
        tests, of = inputs.preferences[best["preferences"]], by_list[best["list"]]
        cuts = [(POWER, kept, None)]
        even = even_thresholds(middle_values(labels), best["levels"])
        if len(even) == len(kept):
            cuts.append((EVEN, even, None))
        for agreed in agreeing:
            is_same = (agreed.source, agreed.levels) == (best["set"], best["levels"])
            if is_same and not np.isnan(agreed.cut).any():
                cuts += [(POWER, kept, agreed), (AGREEMENT, agreed.cut, agreed)]
        for by, cut, agreed in cuts:
            entropy = least
            if not np.array_equal(cut, kept):
                entropy = _fitted(graded, tests, of, [cut], inputs.how).item()
            row = {column: best[column] for column in (*_OF, "levels")}
            row |= {"transformation": None, "search": None, "by": by}
            row |= {name: column.item() for name, column in _columns(np.array([cut])).items()}
            row |= {"entropy": entropy, "entropy_lost": entropy - least}
            if agreed is not None:
                alpha_of_cut = agreed.alpha_of(cut)
                row |= {"transformation": agreed.transformation, "search": agreed.search}
                alpha_lost = agreed.alpha_of(agreed.cut) - alpha_of_cut
                row |= {"alpha": alpha_of_cut, "alpha_lost": alpha_lost}
            rows.append(row)
    return pd.DataFrame(rows, columns=columns_of("power/cuts"))


def even_thresholds(values: np.ndarray, levels: int) -> np.ndarray:
    """Thresholds that put as equal shares of the values as ties allow above and below each."""
    grades, counts = np.unique(values, return_counts=True)
    if len(grades) == 1:
        return grades[:0]
    below = counts.cumsum()[:-1] / counts.sum()
    places = sorted({int(np.abs(below - part / levels).argmin()) for part in range(1, levels)})
    return grades[:-1][places]


def middle_values(labels: GradedSet) -> np.ndarray:
    """(D,) the median of each document's values."""
    return np.nanmedian(labels.graded.grades(), axis=1)


# --- by the number of levels ----------------------------------------------------------------------


@dataclass(frozen=True)
class CutSet:
    """A set cut into levels.

    Attributes
    ----------
    labels
        The set.
    levels
        Into how many; `UNCUT`: it is as it is.
    way
        How the cut was chosen: `AS_IT_IS`, `EVEN` or `POWER`.
    cut
        Its thresholds; none: it is as it is.
    keys
        Of a cut chosen by power, of what: preferences, mode, list; else nothing.
    """

    labels: GradedSet
    levels: int
    way: str
    cut: np.ndarray
    keys: Mapping[str, str]

    def graded(self, mode: str) -> Graded:
        """Its levels in a mode, medians being cut; its values as they are where there is no cut."""
        graded = self.labels.graded.in_mode(mode)
        return graded.cut(self.cut) if self.levels else graded

    @property
    def same(self) -> tuple:
        """What cuts have in common that make the same labels, however they were chosen."""
        return self.labels.name, self.levels, *self.cut.tolist()

    @property
    def aggregated(self) -> GradedSet:
        """One label for each document, the median of its values, cut; and the labels' scale."""
        table = aggregate(self.labels.table, "median")
        if not self.levels:
            return GradedSet(self.labels.name, table, *self.labels.ends())
        grades = np.searchsorted(self.cut, table["grade"].to_numpy(), side="left").astype(float)
        table = table.set_column(table.column_names.index("grade"), "grade", [grades])
        # one level only is the grade 0, which gives no gain on any scale
        return GradedSet(self.labels.name, table, 0.0, float(max(len(self.cut), 1)))

    def serves(self, **keys: str) -> bool:
        """Whether it was chosen for these preferences, mode and list, or for all alike."""
        return all(keys[name] == value for name, value in self.keys.items())


def cut_sets(
    sets: Sequence[GradedSet], levels: Sequence[int], searched: pd.DataFrame
) -> list[CutSet]:
    """Each set as it is, cut evenly, and by each best cut that was searched.

    A set is cut into fewer levels than it has different values.
    """
    cuts = []
    best = best_searched(searched)
    for labels in sets:
        cuts.append(CutSet(labels, UNCUT, AS_IT_IS, np.empty(0), {}))
        own = best[best["set"] == labels.name]
        for some in sorted({*levels, *own["levels"]}):
            if some < len(labels.graded.values):
                even = even_thresholds(middle_values(labels), some)
                cuts.append(CutSet(labels, int(some), EVEN, even, {}))
        for _, row in own.iterrows():
            keys = {name: row[name] for name in ("preferences", "mode", "list")}
            cuts.append(CutSet(labels, int(row["levels"]), POWER, _thresholds(row), keys))
    return cuts


def level_table(cuts: Sequence[CutSet], inputs: PowerInputs) -> pd.DataFrame:
    """Does the number of grades pay?  Sets cut into fewer levels (table ``power/levels``)."""
    parts = []
    alone = replace(inputs.how, modes=["individual"])
    for cut in cuts:
        individual, middle = (cut.graded(mode) for mode in POWER_MODES)
        of = {"set": cut.labels.name, "levels": cut.levels, "way": cut.way}
        of |= {"made": len(individual.values), "alpha": alpha(individual.grades().T)}
        agreed = {name: concordance(middle, tests) for name, tests in inputs.preferences.items()}
        for (name, tests), mode in product(inputs.preferences.items(), inputs.how.modes):
            keys = {"preferences": name, "mode": mode}
            served = [lists for lists in inputs.lists if cut.serves(**keys, list=lists.name)]
            if served:
                powers = power_table(cut.graded(mode), tests, served, alone)
                powers = powers[powers["topic"] == ALL_TOPICS]
                parts.append(powers.assign(**keys, concordance=agreed[name], **of))
    return _concat(parts, columns_of("power/levels"))


def concordance(graded: Graded, tests: PreferenceTests) -> float:
    """How labels order the documents that a test tells apart: Somers' d."""
    middle = graded.in_mode("aggregate")
    first, second, signal = tests.compared(middle)
    agrees = np.sign(middle.codes[first, 0] - middle.codes[second, 0]) * signal
    untied = signal != 0
    return float(agrees[untied].mean()) if untied.any() else np.nan


def level_systems(cuts: Sequence[CutSet], systems: Systems, threads: int = 1) -> pd.DataFrame:
    """What cutting a set into fewer levels does to systems (table ``power/level_systems``)."""
    different = {cut.same: cut for cut in cuts}
    with ThreadPoolExecutor(threads) as pool:
        shares = pool.map(
            lambda cut: discrimination_of(cut.aggregated, systems), different.values()
        )
        by_labels = dict(zip(different, shares, strict=True))
    rows, full_means = [], {}
    for cut in cuts:
        scores, ratios = by_labels[cut.same]
        if scores is None:  # of too few systems or topics
            continue
        means = scores.values.mean(axis=1)
        kept = full_means.setdefault(cut.labels.name, means)
        taus = map(tau_b, means.T.copy(), kept.T.copy())
        of_measure = dict(zip(map(str, scores.measures), taus, strict=True))
        keys = [cut.keys.get(name) for name in ("preferences", "mode", "list")]
        for row in ratios.itertuples():
            of = (cut.labels.name, cut.levels, cut.way, *keys, row.measure)
            rows.append((*of, of_measure[row.measure], row.test, row.share))
    return pd.DataFrame(rows, columns=columns_of("power/level_systems"))


def _concat(parts: Sequence[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
    return table[list(columns)]
