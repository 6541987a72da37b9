"""The tables of a panel of judges: effective number, judges, correlations, sizes, choices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from regrade.catalogue import columns_of
from regrade.errors import ParameterError
from regrade.favours.effects import CONTROL, REFERENCE, contrasts
from regrade.favours.families import Families
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE
from regrade.label_sets import LabelSet
from regrade.measures import Measure, parse_all
from regrade.panels.controls import controlled, free_covariances
from regrade.panels.effective import (
    ErrorCovariance,
    clustered_order,
    correlations,
    effective_by_size,
    effective_number,
    mean_correlation,
    mean_variance,
    panel_variance,
    score_covariances,
)
from regrade.panels.errors import PanelLabels, panel_labels
from regrade.panels.growth import ALPHA, TAU, Curve, Panel, PanelOptions, Panels, additions
from regrade.ranking.reliability import jackknifed_ends
from regrade.run_arrays import RankedLists
from regrade.sample_means import mean_interval

EFFECTIVE = "effective"
"""The quantity of sizes that is the effective number of judges (label errors within topics)."""

RANDOM, CHOSEN = "random", "chosen"
"""Panels of a size: the mean over all or over drawn ones; built judge by judge, held out."""

BEST_JUDGE, MEAN_JUDGE, DROPPED, ADDED, SELECTED = (
    "best judge", "mean judge", "without", "with", "selected",
)  # fmt: skip
"""What the whole panel is compared with: the judge of highest α on other topics, the mean of single
judges, the panel without the judge whose omission raises α most on other topics, the panel with the
candidate whose addition does, the built panel of highest α on other topics."""


def panel_tables(
    reference: LabelSet,
    judges: Sequence[LabelSet],
    ranked: RankedLists | None = None,
    measures: Sequence[str | Measure] = (),
    how: PanelOptions | None = None,
    sample: pd.DataFrame | None = None,
    controls: Sequence[LabelSet] = (),
    families: Families | None = None,
) -> dict[str, pd.DataFrame]:
    """What a panel of judges is worth, beside people.

    Parameters
    ----------
    reference
        People's labels.
    judges
        The panel.
    ranked, measures
        The runs and what scores them; ``None``: labels only.
    how
        How.
    sample
        The documents that people could have been asked about, with their probabilities
        (`regrade.panels.errors.panel_labels`); ``None``: people labelled all.
    controls
        Labels of further people, for n_eff free of people's errors.
    families
        Families of the runs, for errors of favours.

    Returns
    -------
    dict of str to DataFrame
        Tables of the stage ``panel`` by name, without ``answer``.
    """
    how = how or PanelOptions()
    labels = panel_labels(reference, judges, sample, controls)
    kin = _kin_of(labels.judges, how.kin)
    panels = Panels(labels, ranked, parse_all(measures), how)
    covariances = [("", one) for one in labels.covariances]
    if panels.people_scores and panels.judged.topics:
        covariances += _of_scores(panels, families)
    members = np.array(panels.every)
    beside = [(m, one, REFERENCE) for m, one in covariances]
    if controls:
        beside += [(m, one, CONTROL) for m, one in _beside_controls(panels, families)]
    rows = {
        "effective": [_effective_row(panels, m, one.of(members), of) for m, one, of in beside],
        "judges": list(_judge_rows(panels, kin, covariances[0][1])),
        "correlations": [row for one in covariances for row in _correlation_rows(labels, *one)],
        "kin": [row for one in covariances for row in _kin_rows(labels, kin, *one)],
        "sizes": list(_sizes(panels)),
        "order": list(_order_rows(panels)),
        "contrasts": list(_contrasts(panels)),
        "numbers": list(_number_rows(panels)),
    }
    return {
        name: pd.DataFrame(some, columns=columns_of(f"panel/{name}")) for name, some in rows.items()
    }


def _kin_of(judges: Sequence[str], kin: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The kin of each judge that has one."""
    of: dict[str, str] = {}
    for name, members in kin.items():
        for judge in members:
            if judge not in judges:
                raise ParameterError(
                    f"kin: {judge!r} of {name} is no judge: the judges are {', '.join(judges)}"
                )
            if of.setdefault(judge, name) != name:
                raise ParameterError(f"kin: {judge!r} is of {of[judge]} and of {name}: name one")
    return of


def _of_scores(panels: Panels, families: Families | None) -> Iterator[tuple[str, ErrorCovariance]]:
    """By measure, the covariances of errors of scores."""
    weights = _contrasts_of(panels, families)
    for measure, people in zip(panels.measures, panels.people_scores, strict=True):
        errors = _score_errors(panels, measure, people)
        yield from ((str(measure), one) for one in score_covariances(errors, families=weights))


def _score_errors(panels: Panels, measure: Measure, people: np.ndarray) -> np.ndarray:
    """(J, T, S) scores under each judge less people's."""
    m = panels.measures.index(measure)
    own = [panels.of((j,)).scores[m] - people for j in range(len(panels.labels.judges))]
    return np.stack(own).transpose(0, 2, 1)


def _contrasts_of(panels: Panels, families: Families | None) -> np.ndarray | None:
    """(F, S) each family's mean less that of the other systems."""
    if families is None:
        return None
    return contrasts(families.members(panels.ranked.systems))


def _beside_controls(
    panels: Panels, families: Families | None
) -> Iterator[tuple[str, ErrorCovariance]]:
    """The covariances free of people's errors, by measure, on the topics of further people."""
    yield from (("", one) for one in free_covariances(panels.labels))
    if not (panels.people_scores and panels.judged.topics):
        return
    weights = _contrasts_of(panels, families)
    for m, measure in enumerate(panels.measures):
        people, control = panels.people_scores[m], panels.control_scores[m]
        known = ~np.isnan(control).any(axis=0)
        if known.any():
            errors, others = (
                _score_errors(panels, measure, one)[:, known] for one in (people, control)
            )
            of_scores = score_covariances(errors, others, weights)
            yield from ((str(measure), one) for one in of_scores)


# --- the effective number ------------------------------------------------------------------------


def has_interval(kind: str, beside: str = REFERENCE) -> bool:
    """Whether the effective number has an interval: of the others none has its coverage."""
    return kind in ("document", "score") if beside == CONTROL else kind != "system"


def effective_ends(covariance: ErrorCovariance, beside: str = REFERENCE) -> np.ndarray:
    """(2,) the ends of the interval of the effective number; NaN where none is given."""
    fewest = INTERVALS["effective_judges"].fewest
    if not has_interval(covariance.kind, beside) or len(covariance.without) < fewest:
        return np.full(2, np.nan)
    value = effective_number(covariance.value)
    if len(covariance.value) == 1 or abs(value - 1) <= TOLERANCE:
        return np.full(2, np.nan)  # one judge, or copies of one: 1 by definition
    without = effective_number(covariance.without)
    ends = np.exp(jackknifed_ends(np.array([value]), without[:, None]))[:, 0]
    return np.maximum(ends, 1.0)  # an average never varies more than its judges do


def held_out_weights(by_topic: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """(T, J) weights of least error variance, each topic's by the topics of other folds.

    They are not negative and sum to 1: the direction that minimises wᵀ Σ w + (1ᵀ w − 1)².
    """
    weights = np.empty(by_topic.shape[:2])
    for f in range(fold.max() + 1):
        weights[fold == f] = least_variance_weights(by_topic[fold != f].mean(axis=0))
    return weights


def least_variance_weights(covariance: np.ndarray) -> np.ndarray:
    """(J,) weights from 0 on with sum 1 and least wᵀ Σ w."""
    judges = len(covariance)
    scale = float(mean_variance(covariance))
    if not scale > 0:
        return np.full(judges, 1 / judges)
    roots, vectors = np.linalg.eigh(covariance / scale)
    root = (vectors * np.sqrt(np.maximum(roots, 0.0))).T
    solved, _ = nnls(np.vstack([root, np.ones(judges)]), np.append(np.zeros(judges), 1.0))
    return solved / solved.sum() if solved.sum() > 0 else np.full(judges, 1 / judges)


def _effective_row(panels: Panels, measure: str, covariance: ErrorCovariance, beside: str) -> dict:
    """A kind of error; of an indefinite Σ, n_eff below 1 is 1, its least value."""
    mean, panel = mean_variance(covariance.value), panel_variance(covariance.value)
    low, high = effective_ends(covariance, beside)
    return {
        "kind": covariance.kind,
        "measure": measure or None,
        "beside": beside,
        "judges": len(covariance.value),
        "topics": len(covariance.without),
        "error_sd": _root(mean),
        "panel_sd": _root(panel),
        "effective": float(np.maximum(effective_number(covariance.value), 1.0)),
        "low": low,
        "high": high,
        "error_correlation": mean_correlation(covariance.value),
        "weighted": _weighted(panels, covariance) if beside == REFERENCE else np.nan,
    }


def _root(variance: float) -> float:
    """A standard deviation; NaN where the variance is estimated below 0."""
    return float(np.sqrt(variance)) if variance >= 0 else np.nan


def _weighted(panels: Panels, covariance: ErrorCovariance) -> float:
    """n_eff of a weighted average, under weights of other topics.

    Of labels less people's alone: given the grade, a judge that always says the same has no error.
    """
    fold = panels.fold
    if covariance.kind != "document" or fold.max() < 1:
        return np.nan
    within = panels.labels.moments.within
    within = within[:, panels.every][:, :, panels.every]
    weights = held_out_weights(within, fold)
    variance = float(np.einsum("tj,tjk,tk->t", weights, within, weights).mean())
    mean = float(mean_variance(covariance.value))
    return mean / variance if variance > TOLERANCE * mean else np.nan


# --- judges --------------------------------------------------------------------------------------


def _judge_rows(
    panels: Panels, kin: Mapping[str, str], covariance: ErrorCovariance
) -> Iterator[dict]:
    """Each judge: its errors, its agreement, and the panel without it; with it, if a candidate."""
    labels, every = panels.labels, panels.every
    means, value = labels.moments.means, covariance.value
    of = correlations(value)
    np.fill_diagonal(of, np.nan)
    whole = panels.quantities([panels.of(every)])
    for j, judge in enumerate(labels.judges):
        low, high = mean_interval(means[:, j])
        own = panels.quantities([panels.of((j,))])
        row = {
            "judge": judge,
            "kin": kin.get(judge),
            "bias": means[:, j].mean(),
            "bias_low": low,
            "bias_high": high,
            "error_sd": _root(value[j, j]),
            "error_correlation": np.nanmean(of[j]) if (~np.isnan(of[j])).any() else np.nan,
        }
        row |= _with_ends("alpha", own[ALPHA, ""], ALPHA)
        tau = _first_tau(own)
        row |= _with_ends("tau", tau, TAU) if tau else {}
        row["is_candidate"] = j in panels.candidates
        other = tuple(sorted({*every} ^ {j}))
        if other:
            changed = panels.quantities([panels.of(other)])
            row["effective"] = float(effective_number(covariance.of(np.array(other)).value))
            gain = changed[ALPHA, ""].less(whole[ALPHA, ""])
            row |= _with_ends("gain", gain, ALPHA)
            if tau:
                gain = _first_tau(changed).less(_first_tau(whole))
                row |= _with_ends("tau_gain", gain, TAU)
        yield row


def _first_tau(curves: Mapping[tuple[str, str], Curve]) -> Curve | None:
    return next((one for (quantity, _), one in curves.items() if quantity == TAU), None)


def _with_ends(name: str, curve: Curve, quantity: str) -> dict[str, float]:
    low, high = curve.ends(quantity)
    return {name: curve.value, f"{name}_low": low, f"{name}_high": high}


def _correlation_rows(
    labels: PanelLabels, measure: str, covariance: ErrorCovariance
) -> Iterator[dict]:
    """Every pair of judges, in an order in which judges of like errors are neighbours."""
    of = correlations(covariance.value)
    order = clustered_order(of)
    for place, j in enumerate(order):
        for other_place, k in enumerate(order):
            yield {
                "kind": covariance.kind,
                "measure": measure or None,
                "judge": labels.judges[j],
                "other": labels.judges[k],
                "place": place + 1,
                "other_place": other_place + 1,
                "error_correlation": of[j, k],
            }


def _kin_rows(
    labels: PanelLabels, kin: Mapping[str, str], measure: str, covariance: ErrorCovariance
) -> Iterator[dict]:
    """Mean correlation of judges of one kin, and of two kins."""
    of, names = correlations(covariance.value), list(dict.fromkeys(kin.values()))
    pairs: dict[tuple[str, str], list[float]] = {}
    for j, k in zip(*np.triu_indices(len(of), 1), strict=True):
        both = [kin.get(labels.judges[place]) for place in (j, k)]
        if None not in both and not np.isnan(of[j, k]):
            pairs.setdefault(tuple(sorted(both, key=names.index)), []).append(of[j, k])
    for (one, other), values in sorted(pairs.items(), key=lambda p: [*map(names.index, p[0])]):
        yield {
            "kind": covariance.kind,
            "measure": measure or None,
            "kin": one,
            "other": other,
            "pairs": len(values),
            "error_correlation": float(np.mean(values)),
        }


# --- sizes and choices ---------------------------------------------------------------------------


def _sizes(panels: Panels) -> Iterator[dict]:
    """Panels of each size: random ones, and those chosen on other topics."""
    effective = effective_by_size(panels.labels.covariances[0].of(np.array(panels.every)).value)
    for size in range(1, len(panels.every) + 1):
        drawn, is_all = panels.random(size)
        random = panels.quantities([panels.of(panel) for panel in drawn])
        yield {
            "kind": RANDOM, "panel_size": size, "quantity": EFFECTIVE, "value": effective[size - 1],
            "panels": len(drawn), "every": True,
        }  # fmt: skip
        for key, curve in random.items():
            yield _size_row(RANDOM, size, key, curve) | {"panels": len(drawn), "every": is_all}
        if not panels.paths:
            continue
        held = panels.held_out(lambda f, k=size: panels.paths[f][k - 1])
        for key, curve in panels.quantities([held]).items():
            row = _size_row(CHOSEN, size, key, curve)
            if size < len(panels.every):
                gain = curve.less(random[key])
                low, high = gain.chosen_ends(key[0], len(panels.paths))
                row |= {"gain": gain.value, "gain_low": low, "gain_high": high}
            yield row | {"panels": len(panels.paths), "every": True}


def _size_row(kind: str, size: int, key: tuple[str, str], curve: Curve) -> dict:
    low, high = curve.ends(key[0])
    row = {"kind": kind, "panel_size": size, "quantity": key[0], "measure": key[1] or None}
    return row | {"value": curve.value, "low": low, "high": high}


def _order_rows(panels: Panels) -> Iterator[dict]:
    """The order in which judges are added by all topics, and in how many folds so."""
    folds = [additions(path) for path in panels.paths]
    for place, judge in enumerate(additions(panels.whole_path)):
        yield {
            "place": place + 1,
            "judge": panels.labels.judges[judge],
            "chosen_in": sum(one[place] == judge for one in folds),
            "of_folds": len(folds),
        }


def _contrasts(panels: Panels) -> Iterator[dict]:
    """The whole panel less a single judge; what a choice on other topics gains on the whole."""
    every = panels.every
    if not panels.paths or len(every) < 2:
        return
    value = panels.quantities([panels.of(every)])
    mean = panels.quantities([panels.of((j,)) for j in every])
    for key, curve in value.items():
        gain = curve.less(mean[key])
        yield _contrast_row(MEAN_JUDGE, key, gain, gain.ends(key[0]), curve, mean[key])
    for name in (BEST_JUDGE, DROPPED, *([ADDED] if panels.candidates else []), SELECTED):
        choose = _choices(panels, name)
        other = panels.quantities([panels.held_out(choose)])
        choice = choose(None)
        row = {"judge": None, "panel_size": len(choice)}
        row["chosen_in"] = sum(choose(f) == choice for f in range(len(panels.paths)))
        if name != SELECTED:
            (judge,) = choice if name == BEST_JUDGE else {*every} ^ {*choice}
            row["judge"] = panels.labels.judges[judge]
        for key, curve in value.items():
            gain = curve.less(other[key]) if name == BEST_JUDGE else other[key].less(curve)
            ends = gain.chosen_ends(key[0], len(panels.paths))
            yield _contrast_row(name, key, gain, ends, curve, other[key]) | row


def _choices(panels: Panels, name: str) -> Callable[[int | None], Panel]:
    """The panel that a contrast chooses for a fold, or (``None``) by all topics."""
    if name == SELECTED:
        return lambda fold: panels.best_of(_path(panels, fold), fold)
    every = {*panels.every}
    among = {
        BEST_JUDGE: [(j,) for j in panels.every],
        DROPPED: [tuple(sorted(every - {j})) for j in panels.every],
        ADDED: [tuple(sorted(every | {j})) for j in panels.candidates],
    }[name]
    return lambda fold: panels.best_of(among, fold)


def contrast_curves(panels: Panels, name: str) -> dict[tuple[str, str], Curve]:
    """By quantity and measure, the difference of the whole panel and what a contrast chooses."""
    value = panels.quantities([panels.of(panels.every)])
    other = panels.quantities([panels.held_out(_choices(panels, name))])
    return {key: curve.less(other[key]) for key, curve in value.items()}


def _path(panels: Panels, fold: int | None) -> list[Panel]:
    return panels.whole_path if fold is None else panels.paths[fold]


def _contrast_row(
    name: str, key: tuple[str, str], gain: Curve, ends: np.ndarray, panel: Curve, other: Curve
) -> dict:
    low, high = ends
    return {
        "contrast": name,
        "quantity": key[0],
        "measure": key[1] or None,
        "panel": panel.value,
        "other": other.value,
        "difference": gain.value,
        "low": low,
        "high": high,
    }


def _number_rows(panels: Panels) -> Iterator[dict]:
    """What the answer's method and notes say."""
    labels = panels.labels
    means = labels.moments.means[:, panels.every]
    bias = means.mean(axis=1)
    low, high = mean_interval(bias)
    numbers = {
        "judges": len(panels.every),
        "candidates": len(panels.candidates),
        "topics": len(labels.topics),
        "documents": len(labels.people),
        "labelled": int(labels.labelled.sum()),
        "unlabelled": labels.unlabelled,
        "left out": labels.left_out,
        "topics left out": labels.left_topics,
        "judges that lack documents": len(labels.lacking),
        "stretched": len(labels.stretched),
        "controls": len(labels.controls),
        "controlled topics": len(np.unique(labels.topic[controlled(labels)])),
        "left out of controls": labels.left_by_controls,
        "people alike": sum(_is_alike(own, labels.people) for own in labels.controls),
        "highest grade": labels.levels - 1,
        "sampled": float(labels.inclusion is not None),
        "systems": len(panels.people_scores[0]) if panels.people_scores else 0,
        "folds": len(panels.paths),
        "panels": panels.how.panels,
        "resamples": panels.how.resamples,
        "seed": panels.how.seed,
    }
    for name, value in numbers.items():
        yield {"quantity": name, "value": value}
    root = float(np.sqrt((means.mean(axis=0) ** 2).mean()))
    yield {"quantity": "bias of judges", "value": root}
    yield {"quantity": "bias of panel", "value": bias.mean(), "low": low, "high": high}


def _is_alike(control: np.ndarray, people: np.ndarray) -> bool:
    """Whether a further person has the reference's labels."""
    known = ~np.isnan(control)
    return bool(known.any() and (control[known] == people[known]).all())
