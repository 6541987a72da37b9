"""Evaluation measures: their names, parameters and formulas.

A measure is written as `ir_measures` writes it, ``nDCG(dcg='exp-log2')@10``: a name, parameters
in parentheses, the last rank that counts after ``@``.  `MEASURES` holds one `Definition` for each;
`parse` turns text into a `Measure` and ``str`` turns it back, in one canonical spelling.

What they compute is in `regrade.formulas`, by the names that the definitions give; reading names
loads none of it.  The user models of those that are weighted means of gains are in
`regrade.user_models`.
"""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from regrade.choices import COARSE, CRITERIA_TIES, JUNK, MAX_SCORED_CUTS, SCORED
from regrade.errors import ParameterError, did_you_mean

if TYPE_CHECKING:  # whoever only reads measures' names needs no arrays
    import numpy as np

    from regrade.run_arrays import JudgedLists
    from regrade.scales import Scale


@dataclass(frozen=True)
class Kind:
    """What values a parameter takes: in words, and as a function that says whether one fits.

    `normal` makes one form of equal values that only this kind knows to be equal.
    """

    text: str
    accepts: Callable[[object], bool]
    normal: Callable[[object], object] | None = None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 1 << 31


def _is_gains(value: object) -> bool:
    return isinstance(value, dict) and all(
        _is_number(grade) and _is_number(gain) and gain >= 0 for grade, gain in value.items()
    )


def _is_share(value: object) -> bool:
    return _is_number(value) and 0 <= value <= 1


def _is_weight(value: object) -> bool:
    return _is_number(value) and value >= 0


def _is_list(value: object, accepts: Callable[[object], bool]) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0 and all(map(accepts, value))


def _is_sets(value: object) -> bool:
    """Whether a value is the name of a set, or a list of different ones."""
    names = [value] if isinstance(value, str) else value
    return _is_list(names, lambda v: isinstance(v, str) and v) and len({*names}) == len(names)


def _is_measure(value: object) -> bool:
    """Whether a value names a measure over one set, or is one."""
    try:
        return not parse(value).sets
    except ParameterError:
        return False


def _list_of_one_is_it(value: object) -> object:
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


COUNT = Kind("an integer from 1 (to 2³¹ − 1)", _is_count)
NUMBER = Kind("a number", _is_number)
PROBABILITY = Kind("a number between 0 and 1, both excluded", lambda v: _is_number(v) and 0 < v < 1)
BASE = Kind("a number above 1", lambda v: _is_number(v) and v > 1)
SHARE = Kind("a number from 0 to 1", _is_share)
NOT_NEGATIVE = Kind("a number from 0", _is_weight)
GOAL = Kind("a number from 0.5", lambda v: _is_number(v) and v >= 0.5)
FLAG = Kind("True or False", lambda v: isinstance(v, bool))
POSITIVE = Kind("a number above 0", lambda v: _is_number(v) and v > 0)
GAINS = Kind("a mapping of grades to gains that are not negative, {1:1,2:3}", _is_gains)

ESTIMABLE = "P, DCG, SDCG, RBP and INSQ, nDCG, and AP"
"""What can be estimated from labels of some documents, in words."""

TOPIC = "topic"
"""As a measure's `max_rel`: the highest grade among each topic's judged documents."""

HIGHEST = Kind("a number above 0, or 'topic'", lambda v: v == TOPIC or POSITIVE.accepts(v))
VERSION = Kind("9 or 10", lambda v: v in (9, 10) and not isinstance(v, bool))
DCG = Kind("'log2' or 'exp-log2'", lambda v: v in ("log2", "exp-log2"))
SETS = Kind("the name of a set, or a list of them", _is_sets, _list_of_one_is_it)
WEIGHTS = Kind(
    "a number from 0, or a list of them",
    lambda v: _is_weight(v) or _is_list(v, _is_weight),
    _list_of_one_is_it,
)
SHARES = Kind(
    "a number from 0 to 1, or a list of them that add up to 1",
    lambda v: _is_share(v) or (_is_list(v, _is_share) and math.isclose(sum(v), 1)),
)
TIES = Kind(f"one of {', '.join(CRITERIA_TIES)}", lambda v: v in CRITERIA_TIES)
ONE_SET = Kind("the name of a measure of one set", _is_measure, lambda v: str(parse(v)))


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure; `default` is ``None`` where leaving it out means something."""

    name: str
    kind: Kind
    description: str
    default: object = None
    required: bool = False


@dataclass(frozen=True)
class Definition:
    """Everything that regrade knows of one measure.

    Attributes
    ----------
    name, aliases
        Its canonical name and the others that `ir_measures` reads.
    title, source
        Its name in full, and where it was defined.
    parameters
        In the order in which they are written.
    formula, residual
        Functions of `regrade.formulas`, by name: (S, T) values of all rankings; the residual is how
        much a value could rise if every unjudged document had the highest grade, where the measure
        has one.
    weights, continuation
        Functions of `regrade.formulas`, by name: W(i) and C(i) of one ranking, where the measure is
        Σ W(i)·gain; see `regrade.user_models`.  Without a `continuation`, C(i) = W(i+1) / W(i).
    adaptive
        Whether these depend on the gains of the ranking.
    exclusive
        Pairs of parameters of which a measure may have only one.
    of_gains
        What it is of graded gains, where that is a ``sum``, Σ W(i)·gain with W of the rank only,
        or a ``ratio`` of such a sum and its highest value.
    at
        The parameter that is written after ``@``.
    """

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    formula: str
    source: str
    residual: str | None = None
    weights: str | None = None
    continuation: str | None = None
    adaptive: bool = False
    aliases: tuple[str, ...] = ()
    exclusive: tuple[tuple[str, str], ...] = ()
    of_gains: str | None = None
    at: str = "cutoff"

    @property
    def takes(self) -> dict[str, Parameter]:
        """Its parameters by name."""
        return {parameter.name: parameter for parameter in self.parameters}


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters, as `parse` makes it.

    Attributes
    ----------
    name
        Key of `MEASURES`.
    settings
        ``(parameter, value)`` of those that differ from their default, in the definition's order.
        Gains are sorted ``(grade, gain)`` pairs.
    """

    name: str
    settings: tuple[tuple[str, object], ...] = ()

    @property
    def definition(self) -> Definition:
        """The measure's entry in `MEASURES`."""
        return MEASURES[self.name]

    @property
    def judged_only(self) -> bool:
        """Whether unjudged documents are taken out of the rankings first."""
        return dict(self.settings).get("judged_only", False)

    @property
    def last_rank(self) -> int | None:
        """The last rank that it looks at; ``None`` where that is the last of a ranking."""
        return None if self.judged_only else dict(self.settings).get("cutoff")

    @property
    def sets(self) -> tuple[str, ...]:
        """The label sets that it needs beside the one that is scored with; most need none."""
        names = dict(self.settings).get("second", ())
        return (names,) if isinstance(names, str) else names

    @property
    def parts(self) -> tuple[Measure, ...]:
        """The measures of one set each that it is made of: the scored set's, then the others'."""
        if not (self.sets and "measure" in self.definition.takes):
            return ()
        second = self["measure"] if self["second_measure"] is None else self["second_measure"]
        return (parse(self["measure"]), *[parse(second)] * len(self.sets))

    @property
    def needs_max_grade(self) -> bool:
        """Whether it takes shares of the highest grade of the scored set's scale."""
        if self.parts or self._scaled:
            return self._scaled or self.parts[0].needs_max_grade
        return (
            "max_rel" in self.definition.takes
            and self["max_rel"] is None
            and self.relevant_from is None
        )

    @property
    def relevant_from(self) -> float | None:
        """The lowest grade that counts as relevant; ``None`` where grades count as they are."""
        return self["rel"] if "rel" in self.definition.takes else None

    def counting_from(self, rel: float) -> Measure:
        """The same with another lowest grade that counts as relevant."""
        values = dict(self.settings) | {"rel": rel}
        names = [name for name in self.definition.takes if name in values]
        return replace(self, settings=tuple((name, values[name]) for name in names))

    def why_none_relevant(self, high: float, *, finite: bool, of: str = "the qrels") -> str:
        """Why it finds nothing relevant, or only what has the highest grade; empty if it does."""
        lowest = self.relevant_from
        if lowest is None or lowest < high or (finite and lowest == high):
            return ""
        if finite:
            reason = f"counts grades from {lowest:g} on, and the highest of {of} is {high:g}"
            return f"{reason}: every score would be 0"
        name = self.definition.name
        return (
            f"counts grades from {lowest:g} on, and {of} holds any numbers up to {high:g}: say "
            f"from which on, as {name}(rel={high / 2:.3g}), or take a measure of gains such as nDCG"
        )

    def why_not_below_zero(self, below: Sequence[float], of: str = "the qrels") -> str:
        """Why grades below 0 mean nothing to it; empty if they do, or are TREC's marks of junk.

        Notes
        -----
        A gain below 0 is none: nothing was gained, not less than by what is not relevant.  Only
        which documents have at least some value is defined for any numbers, and gains that are
        listed for each grade.
        """
        if self.name in ("Judged", "Unj") or (self.name == "NumRet" and self["rel"] is None):
            return ""  # whatever the grades are
        if self.parts:
            return self.parts[0].why_not_below_zero(below, of)
        meant = not (self.judged_only or self.name in _JUDGED_FROM_0)
        settings = dict(self.settings)
        listed = {grade for grade, _ in settings.get("gains", ())}
        off = [grade for grade in below if grade not in JUNK and not (meant and grade in listed)]
        if not off or (meant and "rel" in settings):
            return ""
        binary = "rel" in self.definition.takes and self.name not in _JUDGED_FROM_0
        return (
            f"takes no grades below 0 but TREC's junk, −1 and −2, and {of} holds {min(off):.6g}: "
            "shift or rescale them so that none is below 0, strengths to probabilities; or say "
            f"from which on a document is relevant, {self.name if binary else 'AP'}(rel=0.5)"
        )

    def why_not(self, scale: Scale, of: str = "the qrels") -> str:
        """Why grades on a scale mean nothing to it, or none counts; empty if some do."""
        none = self.why_none_relevant(scale.high, finite=scale.finite, of=of)
        return none or self.why_not_on(scale, of)

    def why_not_on(self, scale: Scale, of: str) -> str:
        """Why the numbers below 0 of a scale mean nothing to it; empty if it has none, or they do.

        Of a range any number may come, also one between those that would be junk.
        """
        some = scale.values or (scale.low, 0.75 * scale.low)
        below = [value for value in some if value < 0]
        return self.why_not_below_zero(below, of)

    def needs_max_grade_of(self, name: str) -> bool:
        """Whether it takes shares of the highest grade of one of its further sets' scales."""
        if self.parts:
            return self.parts[1 + self.sets.index(name)].needs_max_grade
        return self._scaled

    @property
    def _scaled(self) -> bool:
        return dict(self.settings).get("scaled", False)

    @property
    def by_topic(self) -> bool:
        """Whether it takes shares of the highest grade among each topic's judged documents."""
        return dict(self.settings).get("max_rel") == TOPIC

    def of_thresholds(self, levels: int) -> str | None:
        """How its scores under a cut into so many levels follow from those under each threshold.

        ``one``: they are those under one of the cut's thresholds; ``sum``, ``ratio``: a weighted
        sum of them, a ratio of two; ``None``: they do not.  See `regrade.cutsearch.cut_scores`.
        """
        if self.relevant_from is not None:
            return "one"
        gains = self._gains_of_levels(levels)
        rises = all(below <= gain for below, gain in itertools.pairwise(gains))
        is_ratio = self.definition.of_gains == "ratio"
        return None if gains[0] or (is_ratio and not rises) else self.definition.of_gains

    def _gains_of_levels(self, levels: int) -> list[float]:
        """What levels gain, but for a factor that is the same for all."""
        known = self.definition.takes
        if "dcg" in known and self["dcg"] == "exp-log2":
            return [2.0**level - 1 for level in range(levels)]
        listed = dict(self["gains"] or ()) if "gains" in known else {}
        return [listed.get(level, level) for level in range(levels)]

    def values(self, lists: JudgedLists) -> np.ndarray:
        """(S, T) float64: the measure of all rankings, as they are.

        Whoever calls this takes the unjudged documents out first where the measure is
        `judged_only`.
        """
        _formula("check_grades")(self, lists.judged.grades)
        return _formula(self.definition.formula)(lists, self)

    def residuals(self, lists: JudgedLists) -> np.ndarray:
        """(S, T) float64: the residuals of all rankings, of a measure that has a residual."""
        return _formula(self.definition.residual)(lists, self)

    def weights(self, ranks: np.ndarray, gains: np.ndarray, R: float) -> np.ndarray:
        """W(i) at the ranks 1 … n of a ranking with these gains; see `regrade.user_models`."""
        return _formula(self.definition.weights)(self, ranks, gains, R)

    def continuations(self, ranks: np.ndarray, gains: np.ndarray, R: float) -> np.ndarray:
        """C(i), likewise, of a measure whose definition has a formula for it."""
        return _formula(self.definition.continuation)(self, ranks, gains, R)

    def __getitem__(self, parameter: str) -> object:
        """The value of a parameter, given or default."""
        return dict(self.settings).get(parameter, self.definition.takes[parameter].default)

    def __str__(self) -> str:
        """The canonical spelling; `parse` reads it back."""
        inside = ",".join(f"{k}={_spell(v)}" for k, v in self.settings if k != self.definition.at)
        cutoff = dict(self.settings).get(self.definition.at)
        return (
            self.name + (f"({inside})" if inside else "") + ("" if cutoff is None else f"@{cutoff}")
        )


def parse(measure: str | Measure) -> Measure:
    """Read a measure's name."""
    if isinstance(measure, Measure):
        return measure
    if type(measure).__module__.partition(".")[0] == "ir_measures":
        measure = str(measure)
    name, arguments = _split(measure)
    if name in _SHORT:
        name, parameter, value = _SHORT[name]
        if parameter not in dict(arguments):
            arguments.append((parameter, value))
    definition = _definition(name, measure)
    values = {}
    for written, value in arguments:
        key = definition.at if written == "cutoff" else written
        if key in values:
            raise ParameterError(f"{measure!r}: {key} is given twice: keep one")
        values[key] = value
    return _measure(definition, values, measure)


def check_estimable(measure: Measure) -> None:
    """Refuse a measure that cannot be estimated from labels of some documents."""
    is_known = measure.definition.of_gains or measure.name in ("P", "AP")
    if measure.judged_only or not is_known:
        raise ParameterError(
            f"{measure} cannot be estimated from sampled labels: measures that can are "
            f"{ESTIMABLE}, if all documents are ranked"
        )


def leaving_level_open(measures: Iterable[str | Measure], highest: float) -> list[Measure]:
    """Those that do not say from which grade on documents count, where grades go above that."""
    named = [measure for measure in map(parse, measures) if measure.relevant_from is not None]
    left_open = [measure for measure in named if "rel" not in dict(measure.settings)]
    return [measure for measure in left_open if highest > measure.relevant_from]


def names_with_levels(measures: Iterable[str | Measure], highest: float) -> dict[str, str]:
    """``AP`` → ``AP (grades ≥ 1)``: what people read of measures that do not name their level."""
    return {
        str(measure): f"{measure} (grades ≥ {measure.relevant_from:g})"
        for measure in leaving_level_open(measures, highest)
    }


def relevance_note(measures: Iterable[str | Measure], highest: float) -> str:
    """From which grade on documents count, where grades go above that and measures leave it
    open.
    """
    left_open = leaving_level_open(measures, highest)
    if not left_open:
        return ""
    lowest, count = left_open[0].relevant_from, "counts" if len(left_open) == 1 else "count"
    *others, last = map(str, left_open)
    names = " and ".join(filter(None, [", ".join(others), last]))
    return (
        f"{names} {count} every grade from {lowest:g} on as relevant; say otherwise by "
        f"`{left_open[0].counting_from(lowest + 1)}`."
    )


def is_sum(measure: Measure) -> bool:
    """Whether a measure that can be estimated is a sum over documents, by their ranks."""
    return measure.definition.of_gains == "sum" or measure.name == "P"


DEEPEST = 10
"""The deepest cutoff of an nDCG that few labels say enough of."""


def rests_on_all_relevant(measure: Measure) -> bool:
    """Whether it depends on how many documents are relevant that nobody ranks high.

    Where the truth is known, intervals of what few labels say of such measures hold too seldom
    (docs/results-estimate.md): those of AP, and of nDCG below rank `DEEPEST`.
    """
    cutoff = measure["cutoff"] if measure.definition.of_gains == "ratio" else None
    is_deep = cutoff is None or cutoff > DEEPEST
    return measure.name == "AP" or (measure.definition.of_gains == "ratio" and is_deep)


def check_cuts(measure: Measure, levels: int, cuts: int) -> None:
    """Refuse a measure that cannot rank systems under every cut."""
    if measure.sets:
        raise ParameterError(
            f"{measure}: uses several label sets, and cuts label one: name another"
        )
    if cuts > MAX_SCORED_CUTS and measure.of_thresholds(levels) is None:
        ratio = " as its lowest level has a gain, or a level less than the one below"
        why = ratio if measure.definition.of_gains else ""
        sums = [name for name, d in MEASURES.items() if d.of_gains]
        binary = [name for name, d in MEASURES.items() if "rel" in d.takes]
        raise ParameterError(
            f"{measure}: its scores do not follow from those of thresholds{why}, and {cuts:,} cuts "
            f"are too many to be scored one by one (at most {MAX_SCORED_CUTS:,}): name one of "
            f"{', '.join(sums)}, or of {', '.join(binary)} with a lowest relevant level (`rel`); "
            "or set `grid` to fewer thresholds"
        )


def default_measures(*scales: Scale, of: Sequence[str] = SCORED) -> tuple[str, ...]:
    """The measures that are taken where none is named: the same for the library, command, workflow.

    A document is relevant from grade 1 on, on a scale of two levels as of four: trec_eval's default
    (``-l 1``), and what TREC's ad hoc, Robust and Web tracks report.  Only the Deep Learning track
    counts its passages from grade 2 on: whoever wants that says ``AP(rel=2)``.
    """
    coarse = all(scale.finite and scale.levels <= COARSE for scale in scales)
    return tuple(
        name
        for name in of
        if (coarse or parse(name).relevant_from is None)
        and not any(parse(name).why_not(scale) for scale in scales)
    )


def rbp_beside(measure: str | Measure) -> Measure:
    """The RBP, of the default persistence, that takes grades as another measure does.

    Binary with the measure's `rel` where it has one (AP(rel=2): RBP(rel=2)), else with its gains
    (nDCG: RBP; nDCG(dcg='exp-log2'): RBP(dcg='exp-log2')).  Whatever else the measure is, its
    cutoff or `judged_only`, does not reach it; nor does the highest grade of each topic, which no
    RBP knows.
    """
    measure = parse(measure)
    known = measure.definition.takes
    rbp = MEASURES["RBP"]
    if measure.relevant_from is not None:
        return _measure(rbp, {"rel": measure["rel"]}, str(measure))
    gains = {name: measure[name] for name in ("dcg", "gains", "max_rel") if name in known}
    if gains.get("gains"):  # in place of any other
        gains = {name: value for name, value in gains.items() if name != "dcg"}
        gains["gains"] = dict(gains["gains"])
    settings = {k: value for k, value in gains.items() if value is not None and value != TOPIC}
    return _measure(rbp, settings, str(measure))


def _measure(definition: Definition, values: Mapping[str, object], text: str) -> Measure:
    """A measure from its parameters, checked; `text` is what the user wrote."""
    for key, value in values.items():
        parameter = _parameter(key, definition, text)
        if not parameter.kind.accepts(value):
            raise ParameterError(f"{text!r}: {key} is {value!r}, not {parameter.kind.text}")
    for parameter in definition.parameters:
        if parameter.required and parameter.name not in values:
            raise ParameterError(
                f"{text!r}: {definition.name} needs {_written(parameter, definition)}"
            )
    takes, defaults = definition.takes, {p.name: p.default for p in definition.parameters}
    values = {k: (takes[k].kind.normal or _same)(_normal(v)) for k, v in values.items() if v != {}}
    chosen = {key for key, value in values.items() if value != defaults[key]}
    for pair in definition.exclusive:
        if chosen.issuperset(pair):
            raise ParameterError(f"{text!r}: {' and '.join(pair)} exclude each other: keep one")
    if values.get("gains") == ():  # every grade is its own gain
        values["gains"] = None
        if "dcg" in defaults:
            values["dcg"] = "log2"
    return Measure(
        definition.name,
        tuple(
            (name, values[name])
            for name, default in defaults.items()
            if values.get(name, default) != default
        ),
    )


_BETWEEN_MEASURES = re.compile(r"[\s,]+(?![^()]*\))")
"""Blanks and commas, but within brackets."""


def named_measures(measures: Sequence[str | Measure] | str) -> list[str | Measure]:
    """Measures as they were named: in a list, or in a text with blanks between them."""
    if isinstance(measures, str):
        measures = [one for one in _BETWEEN_MEASURES.split(measures) if one]
    if not (named := list(measures)):
        raise ParameterError("no measure is named: name one, such as AP, or leave it out")
    return named


def parse_all(measures: Sequence[str | Measure]) -> tuple[Measure, ...]:
    """Read several measures' names, each of which must be another measure."""
    if isinstance(measures, str):
        raise ParameterError(f"measures is the string {measures!r}: give a list of names")
    names: dict[Measure, str | Measure] = {}
    for name in measures:
        measure = parse(name)
        if measure in names:
            raise ParameterError(
                f"'{names[measure]}' and '{name}' are the same measure, {measure}: keep one"
            )
        names[measure] = name
    return tuple(names)


def _formula(name: str) -> Callable[..., np.ndarray]:
    """A function of `regrade.formulas`, which is loaded when the first is asked for."""
    from regrade import formulas

    return getattr(formulas, name)


def _split(text: str) -> tuple[str, list[tuple[str, object]]]:
    """Name and arguments of ``Name(key=value, …)@cutoff``."""
    arguments: list[tuple[str, object]] = []
    try:
        node = ast.parse(text.strip(), mode="eval").body
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            arguments.append(("cutoff", ast.literal_eval(node.right)))
            node = node.left
        match node:
            case ast.Name(id=name):
                return name, arguments
            case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords):
                inside = [(k.arg, _value(k.value)) for k in keywords]
                return name, inside + arguments
    # what ast raises for text that is no Python, too deep, or holds more than literals
    except (SyntaxError, ValueError, TypeError, AttributeError, MemoryError, RecursionError):
        pass
    _check_computed(text)
    like = _as_here(text) or "it like AP, AP(rel=2) or nDCG(dcg='exp-log2')@10"
    raise ParameterError(f"{text!r} is not a measure: write {like}")


_SUBTOPICS = (
    "it is of labels of each subtopic, and a document has one label here: ir_measures computes it, "
    "with pyndeval"
)

REFUSED = {
    "NumQ": "it counts topics, and is no score of one: `regrade score` says how many there are",
    **dict.fromkeys((
        "AP_IA", "MAP_IA", "P_IA", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "StRecall",
        "alpha_DCG", "alpha_nDCG", "α_DCG", "α_nDCG",
    ), _SUBTOPICS),
}  # fmt: skip
"""Names of ir_measures that are none here → why, and what to take."""

_SHORT = {"NumRelRet": ("NumRet", "rel", 1), "SetRelP": ("SetP", "relative", True)}
"""Names of ir_measures that stand for another measure with a parameter."""

_TREC_EVAL = {
    "map": "AP", "map_cut": "AP", "p": "P", "recall": "R", "recip_rank": "RR", "ndcg": "nDCG",
    "ndcg_cut": "nDCG", "success": "Success", "rprec": "Rprec", "bpref": "Bpref",
    "infap": "infAP", "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet",
    "set_p": "SetP", "set_recall": "SetR", "set_f": "SetF", "set_map": "SetAP", "unj": "Unj",
    "rbp": "RBP(p=0.9)", "rbp_resid": "RBP(p=0.9), which has the residual beside its value",
}  # fmt: skip
"""trec_eval's names of measures, in small letters, and those here."""


def _as_here(text: str) -> str | None:
    """What a name means that is written as trec_eval does, ``P.10`` or ``ndcg_cut_10``."""
    text = str(text).strip().lower()
    if recall := re.fullmatch(r"iprec_at_recall_(\d\.\d+)", text):
        return f"IPrec@{float(recall[1])}"
    name, _, depth = re.fullmatch(r"(.*?)([._]?)(\d*)", text).groups()
    if name not in _TREC_EVAL:
        return None
    return _TREC_EVAL[name] + (f"@{depth}" if depth else "")


def _value(node: ast.expr) -> object:
    """What an argument says; a bare name is text, as in second=credibility."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(part) for part in parts]
    return ast.literal_eval(node)


def _check_computed(text: object) -> None:
    """Refuse what is none here with why, also as ndeval writes it: ``alpha-nDCG@10``, strec@10."""
    written = re.match(r"\w+(?:-\w+)?", str(text).strip())
    name = written[0].replace("-", "_").casefold() if written else ""
    refused = {key.casefold(): key for key in REFUSED} | {"strec": "StRecall"}
    if name in refused:
        name = refused[name]
        raise ParameterError(f"{text!r}: {name} is not computed here: {REFUSED[name]}")


def _definition(name: str, text: str) -> Definition:
    names = {n: d for d in MEASURES.values() for n in (d.name, *d.aliases)}
    if name in names:
        return names[name]
    listed = f"; the measures are {', '.join(MEASURES)}"
    _check_computed(text)
    if here := _as_here(text):
        raise ParameterError(f"{text!r} is not a measure: write {here}")
    raise ParameterError(
        f"{text!r}: there is no measure {name}{did_you_mean(name, names, otherwise=listed)}"
    )


def _parameter(key: str | None, definition: Definition, text: str) -> Parameter:
    parameters = definition.takes
    if key in parameters:
        return parameters[key]
    written = "; ".join(_written(p, definition) for p in definition.parameters)
    raise ParameterError(
        f"{text!r}: {definition.name} has no parameter {key}"
        f"{did_you_mean(key, parameters, otherwise='')}; it takes {written}"
    )


def _written(parameter: Parameter, definition: Definition) -> str:
    cutoff = parameter.name == definition.at
    what = f"a {definition.at}, {definition.name}@k with k"
    name = what if cutoff else parameter.name
    return f"{name} ({parameter.kind.text}: {parameter.description})"


def _normal(value: object) -> object:
    """One form for equal values: 2.0 is 2; gains are sorted pairs, without grade = gain.

    Lists are tuples.
    """
    if isinstance(value, list | tuple):
        return tuple(map(_normal, value))
    if isinstance(value, dict):
        pairs = ((_normal(grade), _normal(gain)) for grade, gain in value.items())
        return tuple(sorted((grade, gain) for grade, gain in pairs if grade != gain))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _same(value: object) -> object:
    return value


def _spell(value: object) -> str:
    if isinstance(value, tuple) and not isinstance(value[0], tuple):
        return "[" + ",".join(map(repr, value)) + "]"
    if isinstance(value, tuple):
        return "{" + ",".join(f"{grade!r}:{gain!r}" for grade, gain in value) + "}"
    return repr(value)


_REL = Parameter("rel", NUMBER, "lowest grade of a relevant document", default=1)
_BINARY = Parameter("rel", NUMBER, "lowest grade of a relevant document; graded without it")
_CUTOFF = Parameter("cutoff", COUNT, "the last rank that counts")
_DEPTH = Parameter("cutoff", COUNT, "k, the ranks counted", required=True)
_MAX_REL = Parameter("max_rel", POSITIVE, "highest grade of the scale, by default the qrels' own")
_HIGHEST = Parameter(
    "max_rel",
    HIGHEST,
    "highest grade of the scale, by default the qrels' own; 'topic': of the topic's documents",
)
_GAIN = Parameter("dcg", DCG, "gain of a grade: g, or 2^g - 1", default="log2")
_GAINS = Parameter("gains", GAINS, "gains of grades; other grades are their own gain")
_BASE = Parameter(
    "base",
    BASE,
    "discount of Järvelin and Kekäläinen, log_b(i) from rank b on and none before, "
    "in place of log2(1+i)",
)
_JUDGED_ONLY = Parameter(
    "judged_only", FLAG, "take unjudged documents out of the ranking first", default=False
)
_BINARY_OR_GRADED = (("rel", "max_rel"), ("dcg", "rel"), ("gains", "rel"), ("dcg", "gains"))
_SHARES_OF_GAIN = (_GAIN, _GAINS, _BINARY, _MAX_REL)
_STOPPING = Parameter(
    "dcg", DCG, "gain of a grade: g over the highest, or (2^g - 1) / 2^highest", default="exp-log2"
)

_SECOND = Parameter(
    "second", SETS, "the set of labels, or sets, by a further criterion", required=True
)
_TIES = Parameter("ties", TIES, "what documents with tied grades have in ideal ranks", "stable")
_RANK_ERRORS = (
    _SECOND,
    Parameter("mu", NOT_NEGATIVE, "μ, the weight of the scored set", default=0.5),
    Parameter("nu", WEIGHTS, "ν, the weight of each further set", default=0.5),
    _TIES,
    _CUTOFF,
)
_LAMBDA = Parameter(
    "share",
    SHARES,
    "λ, the share of the scored set, the others having the rest alike; or that of each",
    default=0.5,
)
_AGGREGATES = (
    _SECOND,
    Parameter("measure", ONE_SET, "what is computed of the scored set", required=True),
    Parameter("second_measure", ONE_SET, "what is computed of a further set, by default the same"),
    _LAMBDA,
)
_VAN_RIJSBERGEN = "van Rijsbergen, Information Retrieval, 1979, ch. 7"
_IR_MEASURES = "MacAvaney, Macdonald and Ounis, Streamlining evaluation with ir-measures, ECIR 2022"
_LIOMA = (
    "Lioma, Simonsen and Larsen, Evaluation measures for relevance and credibility in ranked "
    "lists, ICTIR 2017"
)

_JUDGED_FROM_0 = ("Bpref",)
"""Measures that take what is judged non-relevant to have a grade of 0 or more."""

MEASURES: dict[str, Definition] = {
    definition.name: definition
    for definition in (
        Definition(
            name="P",
            title="Precision at k",
            aliases=("Precision",),
            parameters=(_REL, _JUDGED_ONLY, _DEPTH),
            formula="precision",
            residual="precision_residual",
            weights="precision_weights",
            source=_VAN_RIJSBERGEN,
        ),
        Definition(
            name="Success",
            title="Success at k",
            parameters=(_REL, _JUDGED_ONLY, _DEPTH),
            formula="success",
            residual="success_residual",
            source="Soboroff, On evaluating web search with very few relevant documents, "
            "SIGIR 2004",
        ),
        Definition(
            name="R",
            title="Recall at k",
            aliases=("Recall",),
            parameters=(_REL, _JUDGED_ONLY, _DEPTH),
            formula="recall",
            source=_VAN_RIJSBERGEN,
        ),
        Definition(
            name="F",
            title="F measure",
            parameters=(
                Parameter("beta", POSITIVE, "recall counts beta times as precision", default=1),
                _REL,
                _JUDGED_ONLY,
                Parameter("cutoff", COUNT, "the ranks counted, by default those retrieved"),
            ),
            formula="f_measure",
            source=_VAN_RIJSBERGEN,
        ),
        Definition(
            name="Rprec",
            title="R-precision",
            aliases=("RPrec",),
            parameters=(_REL, _JUDGED_ONLY),
            formula="r_precision",
            source="Buckley and Voorhees, Retrieval System Evaluation, in TREC: Experiment and "
            "Evaluation in Information Retrieval, 2005",
        ),
        Definition(
            name="AP",
            title="Average precision",
            aliases=("MAP",),
            parameters=(_REL, _JUDGED_ONLY, _CUTOFF),
            formula="average_precision",
            weights="average_precision_weights",
            adaptive=True,
            source="Harman, Evaluation issues in information retrieval, IPM 28(4), 1992; "
            "judged_only: Sakai, Alternatives to Bpref, SIGIR 2007",
        ),
        Definition(
            name="NCP",
            title="Normalised cumulative precision",
            parameters=(
                Parameter(
                    "gamma",
                    SHARE,
                    "how many users stop at a relevant document, relative to the one before",
                    required=True,
                ),
                _REL,
                _CUTOFF,
            ),
            formula="normalised_cumulative_precision",
            weights="normalised_cumulative_precision_weights",
            adaptive=True,
            source="Robertson, A new interpretation of average precision, SIGIR 2008; stopping by "
            "powers: Sakai and Robertson, Modelling a user population for designing information "
            "retrieval metrics, EVIA 2008",
        ),
        Definition(
            name="RR",
            title="Reciprocal rank",
            aliases=("MRR",),
            parameters=(_REL, _JUDGED_ONLY, _CUTOFF),
            formula="reciprocal_rank",
            weights="reciprocal_rank_weights",
            continuation="reciprocal_rank_continuation",
            adaptive=True,
            source="Kantor and Voorhees, The TREC-5 Confusion Track, Information Retrieval 2, 2000",
        ),
        Definition(
            name="Bpref",
            title="Binary preference",
            aliases=("BPref",),
            parameters=(_REL,),
            formula="binary_preference",
            source="Buckley and Voorhees, Retrieval evaluation with incomplete information, "
            "SIGIR 2004",
        ),
        Definition(
            name="DCG",
            title="Discounted cumulative gain",
            parameters=(_GAIN, _GAINS, _BASE, _CUTOFF),
            exclusive=(("dcg", "gains"),),
            formula="dcg",
            of_gains="sum",
            weights="dcg_weights",
            source="as nDCG",
        ),
        Definition(
            name="nDCG",
            title="Normalised discounted cumulative gain",
            aliases=("NDCG",),
            parameters=(_GAIN, _GAINS, _BASE, _JUDGED_ONLY, _CUTOFF),
            exclusive=(("dcg", "gains"),),
            formula="ndcg",
            of_gains="ratio",
            source="Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, "
            "TOIS 20(4), 2002; log2(1+i) and 2^g - 1: Burges et al., Learning to rank using "
            "gradient descent, ICML 2005",
        ),
        Definition(
            name="Q",
            title="Q-measure",
            parameters=(
                Parameter("beta", NOT_NEGATIVE, "how much gains count beside ranks", default=1),
                _GAINS,
                _JUDGED_ONLY,
                _CUTOFF,
            ),
            formula="q_measure",
            source="Sakai, On the reliability of information retrieval metrics based on graded "
            "relevance, IPM 43(2), 2007",
        ),
        Definition(
            name="ERR",
            title="Expected reciprocal rank",
            parameters=(_STOPPING, _GAINS, _HIGHEST, _CUTOFF),
            exclusive=(("dcg", "gains"),),
            formula="expected_reciprocal_rank",
            source="Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded "
            "relevance, CIKM 2009",
        ),
        Definition(
            name="nERR",
            title="Normalised expected reciprocal rank",
            parameters=(_STOPPING, _GAINS, _HIGHEST, _CUTOFF),
            exclusive=(("dcg", "gains"),),
            formula="normalised_expected_reciprocal_rank",
            source="as ERR; normalised: Clarke, Craswell, Soboroff and Ashkan, A comparative "
            "analysis of cascade measures for novelty and diversity, WSDM 2011",
        ),
        Definition(
            name="SDCG",
            title="Scaled discounted cumulative gain",
            parameters=(*_SHARES_OF_GAIN, _DEPTH),
            exclusive=_BINARY_OR_GRADED,
            formula="sdcg",
            of_gains="sum",
            residual="sdcg_residual",
            weights="sdcg_weights",
            source="Moffat, Thomas and Scholer, Users versus models, CIKM 2013",
        ),
        Definition(
            name="RBP",
            title="Rank-biased precision",
            parameters=(
                Parameter("p", PROBABILITY, "persistence", default=0.8),
                *_SHARES_OF_GAIN,
                _CUTOFF,
            ),
            exclusive=_BINARY_OR_GRADED,
            formula="rbp",
            of_gains="sum",
            residual="rbp_residual",
            weights="rbp_weights",
            continuation="rbp_continuation",
            source="Moffat and Zobel, Rank-biased precision for measurement of retrieval "
            "effectiveness, TOIS 27(1), 2008",
        ),
        Definition(
            name="INSQ",
            title="INSQ, inverse squares",
            parameters=(
                Parameter("T", POSITIVE, "relevant documents that the user expects", default=1),
                *_SHARES_OF_GAIN,
                _CUTOFF,
            ),
            exclusive=_BINARY_OR_GRADED,
            formula="insq",
            of_gains="sum",
            residual="insq_residual",
            weights="insq_weights",
            continuation="insq_continuation",
            source="Moffat, Scholer and Thomas, Models and metrics: IR evaluation as a user "
            "process, ADCS 2012",
        ),
        Definition(
            name="INST",
            title="INST, adaptive INSQ",
            parameters=(
                Parameter("T", GOAL, "relevant documents that the user expects", default=1),
                *_SHARES_OF_GAIN,
                _CUTOFF,
            ),
            exclusive=_BINARY_OR_GRADED,
            formula="inst",
            residual="inst_residual",
            weights="inst_weights",
            continuation="inst_continuation",
            adaptive=True,
            source="Moffat, Bailey, Scholer and Thomas, INST: an adaptive metric for information "
            "retrieval evaluation, ADCS 2015",
        ),
        Definition(
            name="SetP",
            title="Precision of all that is retrieved",
            parameters=(
                _REL,
                Parameter("relative", FLAG, "of as many as are relevant, if fewer", default=False),
                _JUDGED_ONLY,
            ),
            formula="set_precision",
            source=_VAN_RIJSBERGEN,
        ),
        Definition(
            name="SetR",
            title="Recall of all that is retrieved",
            parameters=(_REL,),
            formula="set_recall",
            source=_VAN_RIJSBERGEN,
        ),
        Definition(
            name="SetF",
            title="F measure of all that is retrieved",
            parameters=(
                Parameter("beta", POSITIVE, "what recall counts, its β squared", default=1),
                _REL,
                _JUDGED_ONLY,
            ),
            formula="set_f",
            source=_VAN_RIJSBERGEN,
        ),
        Definition(
            name="SetAP",
            title="Precision times recall of all that is retrieved",
            parameters=(_REL, _JUDGED_ONLY),
            formula="set_average_precision",
            source="trec_eval, set_map",
        ),
        Definition(
            name="IPrec",
            title="Interpolated precision at a recall",
            parameters=(
                Parameter("recall", SHARE, "the share of relevant documents found", required=True),
                _REL,
                Parameter("trec_eval", VERSION, "whose rounding of r · R, 10's or 9's", default=10),
                _JUDGED_ONLY,
            ),
            formula="interpolated_precision",
            at="recall",
            source=_VAN_RIJSBERGEN,
        ),
        Definition(
            name="Judged",
            title="Share of judged documents at k",
            parameters=(_CUTOFF,),
            formula="judged_share",
            source=_IR_MEASURES,
        ),
        Definition(
            name="Unj",
            title="Share of unjudged documents at k",
            parameters=(_DEPTH,),
            formula="unjudged_share",
            source="trec_eval 10.0, unj",
        ),
        Definition(
            name="Accuracy",
            title="Share of pairs with the relevant document above",
            parameters=(_REL, _CUTOFF),
            formula="accuracy",
            source=_IR_MEASURES,
        ),
        Definition(
            name="infAP",
            title="Inferred average precision",
            parameters=(_REL,),
            formula="inferred_average_precision",
            source="Yilmaz and Aslam, Estimating average precision with incomplete and imperfect "
            "judgments, CIKM 2006",
        ),
        Definition(
            name="Compat",
            title="Compatibility with an ideal ranking",
            parameters=(
                Parameter("p", PROBABILITY, "persistence", default=0.95),
                Parameter(
                    "normalize", FLAG, "divide by the overlap of the ideal ranking", default=True
                ),
            ),
            formula="compatibility",
            source="Clarke, Vtyurina and Smucker, Assessing top-k preferences, TOIS 39(3), 2021",
        ),
        Definition(
            name="BPM",
            title="Bejeweled player model",
            parameters=(
                Parameter("T", POSITIVE, "the gain after which the user stops", default=1),
                *_SHARES_OF_GAIN,
                _DEPTH,
            ),
            exclusive=_BINARY_OR_GRADED,
            formula="bejeweled_player",
            source="Zhang, Liu, Li, Zhang, Xu and Ma, Evaluating web search with a bejeweled "
            "player model, SIGIR 2017",
        ),
        *(
            Definition(
                name=f"NERR{equation}",
                title=f"Nearly expected reciprocal rank, {variant}",
                parameters=(*own, *_SHARES_OF_GAIN, *depth),
                exclusive=_BINARY_OR_GRADED,
                formula=f"nerr_{equation}",
                source=f"Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021, equation "
                f"({equation})",
            )
            for equation, variant, own, depth in (
                (8, "down to k", (), (_DEPTH,)),
                (9, "discounted, down to k", (), (_DEPTH,)),
                (10, "patient", (Parameter("p", PROBABILITY, "persistence", default=0.9),), ()),
                (
                    11,
                    "with a goal",
                    (Parameter("T", POSITIVE, "the gain that the user expects", default=1),),
                    (),
                ),
            )
        ),
        Definition(
            name="NumRet",
            title="Number of documents in the ranking",
            parameters=(
                Parameter("rel", NUMBER, "lowest grade that counts; all documents without it"),
            ),
            formula="retrieved_count",
            source="trec_eval, num_ret and num_rel_ret",
        ),
        Definition(
            name="NumRel",
            title="Number of relevant documents of the topic",
            parameters=(_REL,),
            formula="relevant_count",
            source="trec_eval, num_rel",
        ),
        Definition(
            name="NLRE",
            title="Normalised local rank error",
            parameters=_RANK_ERRORS,
            formula="normalised_local_rank_error",
            source=_LIOMA,
        ),
        Definition(
            name="NGRE",
            title="Normalised global rank error",
            parameters=_RANK_ERRORS,
            formula="normalised_global_rank_error",
            source=_LIOMA,
        ),
        Definition(
            name="NWCS",
            title="Normalised weighted cumulative score",
            parameters=(
                _SECOND,
                _LAMBDA,
                Parameter("scaled", FLAG, "take grades as shares of their scales", default=False),
                _CUTOFF,
            ),
            formula="normalised_weighted_cumulative_score",
            source=_LIOMA,
        ),
        Definition(
            name="CAM",
            title="Convex aggregating measure",
            parameters=_AGGREGATES,
            formula="convex_aggregating_measure",
            source=_LIOMA,
        ),
        Definition(
            name="WHAM",
            title="Weighted harmonic mean aggregating measure",
            parameters=_AGGREGATES,
            formula="weighted_harmonic_mean_aggregating_measure",
            source=_LIOMA,
        ),
    )
}
"""Every measure by its canonical name."""
