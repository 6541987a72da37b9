"""Evaluation measures: their names, parameters and formulas.

A measure is written as `ir_measures` writes it, ``nDCG(dcg='exp-log2')@10``: a name, parameters
in parentheses, the last rank that counts after ``@``.  `MEASURES` holds one `Definition` for each;
`parse` turns text into a `Measure` and ``str`` turns it back, in one canonical spelling.

The formulas are written in sums over rankings (`regrade.ranked.JudgedLists`): i is the rank from
1, g the gain of the document there, R the number of relevant documents of the topic.  Unjudged
documents and grades below zero have no gain.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from regrade.errors import ParameterError, did_you_mean

if TYPE_CHECKING:  # keeps numba out of whoever only reads measure names
    from regrade.ranked import JudgedLists

Formula = Callable[["JudgedLists", "Measure"], np.ndarray]


@dataclass(frozen=True)
class Kind:
    """What values a parameter takes: in words, and as a function that says whether one fits."""

    text: str
    accepts: Callable[[object], bool]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_gains(value: object) -> bool:
    return isinstance(value, dict) and all(
        _is_number(grade) and _is_number(gain) and gain >= 0 for grade, gain in value.items()
    )


COUNT = Kind("an integer from 1", _is_count)
NUMBER = Kind("a number", _is_number)
PROBABILITY = Kind("a number between 0 and 1, both excluded", lambda v: _is_number(v) and 0 < v < 1)
BASE = Kind("a number above 1", lambda v: _is_number(v) and v > 1)
POSITIVE = Kind("a number above 0", lambda v: _is_number(v) and v > 0)
GAINS = Kind("a mapping of grades to gains that are not negative, {1:1,2:3}", _is_gains)
DCG = Kind("'log2' or 'exp-log2'", lambda v: v in ("log2", "exp-log2"))


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
        (S, T) values of all rankings; the residual is how much a value could rise if every
        unjudged document had the highest grade, where the measure has one.
    exclusive
        Pairs of parameters of which a measure may have only one.
    """

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    formula: Formula
    source: str
    residual: Formula | None = None
    aliases: tuple[str, ...] = ()
    exclusive: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters, as `parse` makes it.

    Attributes
    ----------
    name
        Key of `MEASURES`.
    given
        ``(parameter, value)`` of those that differ from their default, in the definition's order.
        Gains are sorted ``(grade, gain)`` pairs.
    """

    name: str
    given: tuple[tuple[str, object], ...] = ()

    @property
    def definition(self) -> Definition:
        """The measure's entry in `MEASURES`."""
        return MEASURES[self.name]

    def __getitem__(self, parameter: str) -> object:
        """The value of a parameter, given or default."""
        defaults = {p.name: p.default for p in self.definition.parameters}
        return dict(self.given).get(parameter, defaults[parameter])

    def __str__(self) -> str:
        """The canonical spelling; `parse` reads it back."""
        inside = ",".join(f"{k}={_spell(v)}" for k, v in self.given if k != "cutoff")
        cutoff = dict(self.given).get("cutoff")
        return (
            self.name + (f"({inside})" if inside else "") + ("" if cutoff is None else f"@{cutoff}")
        )


def parse(measure: str | Measure) -> Measure:
    """Read a measure's name.

    Parameters
    ----------
    measure
        ``AP``, ``AP(rel=2)``, ``nDCG(gains={1:1,2:3})@10``, …; a `Measure` is returned as it is.

    Raises
    ------
    ParameterError
        If the text cannot be read, or the measure, a parameter or its value does not exist.
    """
    if isinstance(measure, Measure):
        return measure
    name, arguments = _split(measure)
    definition = _definition(name, measure)
    values = {}
    for key, value in arguments:
        parameter = _parameter(key, definition, measure)
        if key in values:
            raise ParameterError(f"{measure!r}: {key} is given twice: keep one")
        if not parameter.kind.accepts(value):
            raise ParameterError(f"{measure!r}: {key} is {value!r}, not {parameter.kind.text}")
        values[key] = _normal(value)
    for parameter in definition.parameters:
        if parameter.required and parameter.name not in values:
            raise ParameterError(
                f"{measure!r}: {definition.name} needs {_written(parameter, definition)}"
            )
    given = tuple(
        (p.name, values[p.name])
        for p in definition.parameters
        if values.get(p.name, p.default) not in (p.default, ())
    )
    for one, other in definition.exclusive:
        if {one, other} <= dict(given).keys():
            raise ParameterError(f"{measure!r}: {one} and {other} exclude each other: keep one")
    return Measure(definition.name, given)


def parse_all(measures: Sequence[str | Measure]) -> tuple[Measure, ...]:
    """Read several measures' names, each of which must be another measure.

    Raises
    ------
    ParameterError
        As `parse`; if two names mean the same measure; if `measures` is one string.
    """
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
                inside = [(k.arg, ast.literal_eval(k.value)) for k in keywords]
                return name, inside + arguments
    # what ast raises for text that is no Python, too deep, or holds more than literals
    except (SyntaxError, ValueError, TypeError, AttributeError, MemoryError, RecursionError):
        pass
    raise ParameterError(
        f"{text!r} is no measure's name: write it like AP, AP(rel=2) or nDCG(dcg='exp-log2')@10"
    )


def _definition(name: str, text: str) -> Definition:
    names = {n: d for d in MEASURES.values() for n in (d.name, *d.aliases)}
    if name in names:
        return names[name]
    listed = f"; the measures are {', '.join(MEASURES)}"
    raise ParameterError(
        f"{text!r}: there is no measure {name}{did_you_mean(name, names, otherwise=listed)}"
    )


def _parameter(key: str | None, definition: Definition, text: str) -> Parameter:
    parameters = {p.name: p for p in definition.parameters}
    if key in parameters:
        return parameters[key]
    written = "; ".join(_written(p, definition) for p in definition.parameters)
    raise ParameterError(
        f"{text!r}: {definition.name} has no parameter {key}"
        f"{did_you_mean(key, parameters, otherwise='')}; it takes {written}"
    )


def _written(parameter: Parameter, definition: Definition) -> str:
    cutoff = parameter.name == "cutoff"
    name = f"a cutoff, {definition.name}@k with k" if cutoff else parameter.name
    return f"{name} ({parameter.kind.text}: {parameter.description})"


def _normal(value: object) -> object:
    """One form for equal values: 2.0 is 2; gains are sorted pairs, without grade = gain."""
    if isinstance(value, dict):
        pairs = ((_normal(grade), _normal(gain)) for grade, gain in value.items())
        return tuple(sorted((grade, gain) for grade, gain in pairs if grade != gain))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _spell(value: object) -> str:
    if isinstance(value, tuple):
        return "{" + ",".join(f"{grade!r}:{gain!r}" for grade, gain in value) + "}"
    return repr(value)


# Formulas.  In all of them `lists` is a JudgedLists, `m` the Measure.


def _ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """numerator / denominator, 0 for topics without any gain (as in trec_eval)."""
    zeros = np.zeros(numerator.shape)
    return np.divide(numerator, denominator, out=zeros, where=denominator > 0)


def _precision(lists: JudgedLists, m: Measure) -> np.ndarray:
    relevant = lists.relevant(m["rel"])
    return lists.weighted_sum(relevant, np.ones_like(lists.ranks), m["cutoff"]) / m["cutoff"]


def _r_precision(lists: JudgedLists, m: Measure) -> np.ndarray:
    relevant = lists.relevant(m["rel"])
    R = lists.topic_sum(relevant)
    return _ratio(lists.weighted_sum(relevant, np.ones_like(lists.ranks), R), R)


def _average_precision(lists: JudgedLists, m: Measure) -> np.ndarray:
    relevant = lists.relevant(m["rel"])
    return _ratio(lists.precision_sum(relevant, m["cutoff"]), lists.topic_sum(relevant))


def _reciprocal_rank(lists: JudgedLists, m: Measure) -> np.ndarray:
    # the user of the cascade stops for certain at the first relevant document
    return lists.cascade(lists.relevant(m["rel"]), m["cutoff"])


def _ndcg(lists: JudgedLists, m: Measure) -> np.ndarray:
    gains = np.append(dcg_gains(m, lists.judged.grades), 0.0)
    weights = 1 / dcg_discount(m, lists.ranks)
    return _ratio(
        lists.weighted_sum(gains, weights, m["cutoff"]),
        lists.ideal_weighted_sum(gains, weights, m["cutoff"]),
    )


def dcg_discount(measure: Measure, ranks: np.ndarray) -> np.ndarray:
    """What an nDCG divides the gain at each rank by.

    Parameters
    ----------
    measure
        An nDCG.
    ranks
        Ranks i, from 1, float64 of any shape.

    Returns
    -------
    numpy.ndarray
        log₂(1 + i), or with a base b: log_b(i) from rank b on, 1 before; the shape of `ranks`.
    """
    b = measure["base"]
    if b is None:
        return np.log2(1 + ranks)
    return np.where(ranks < b, 1.0, np.log2(ranks) / np.log2(b))


def dcg_gains(measure: Measure, grades: np.ndarray) -> np.ndarray:
    """The gain that an nDCG gives to each grade.

    Parameters
    ----------
    measure
        An nDCG.
    grades
        Grades of judged documents, float64 of any shape.

    Returns
    -------
    numpy.ndarray
        Gains of at least 0, the shape of `grades`.

    Raises
    ------
    ParameterError
        If the gains are too large to be added up.
    """
    gains = grades.clip(min=0)
    for grade, gain in measure["gains"] or ():
        gains[grades == grade] = gain
    if measure["dcg"] == "exp-log2":
        with np.errstate(over="ignore"):
            gains = np.exp2(gains) - 1
    if not np.isfinite(gains.sum()):
        raise ParameterError(
            f"{measure}: with grades up to {grades.max():g} the sum of gains is too large to "
            "compute: use linear gains, or grades on a smaller scale"
        )
    return gains


def _expected_reciprocal_rank(lists: JudgedLists, m: Measure) -> np.ndarray:
    g = _floored_grades(lists)
    highest = _max_grade(lists, m)
    # (2^g - 1) / 2^highest, in a form that does not overflow on wide scales
    return lists.cascade(np.exp2(g - highest) - np.exp2(-highest), m["cutoff"])


def _rbp(lists: JudgedLists, m: Measure) -> np.ndarray:
    if m["rel"] is None:
        gains = _floored_grades(lists) / _max_grade(lists, m)
    else:
        gains = lists.relevant(m["rel"])
    return lists.weighted_sum(gains, _rbp_weights(lists, m), m["cutoff"])


def _rbp_residual(lists: JudgedLists, m: Measure) -> np.ndarray:
    unjudged = lists.weighted_sum(lists.unjudged, _rbp_weights(lists, m), m["cutoff"])
    return unjudged + _powers(lists, m["p"])[lists.lengths(m["cutoff"])]


def _rbp_weights(lists: JudgedLists, m: Measure) -> np.ndarray:
    return (1 - m["p"]) * _powers(lists, m["p"])[:-1]


def _powers(lists: JudgedLists, p: float) -> np.ndarray:
    """p⁰, p¹, … pⁿ for n ranks."""
    # by products, because the last bit of numpy's power depends on the shape it is asked for
    return np.cumprod(np.append(1.0, np.full(len(lists.ranks), p)))


def _floored_grades(lists: JudgedLists) -> np.ndarray:
    """(Q + 1,) grades, 0 for those below and for the unjudged."""
    return np.append(lists.judged.grades.clip(min=0), 0.0)


def _max_grade(lists: JudgedLists, m: Measure) -> float:
    highest = lists.max_grade if m["max_rel"] is None else m["max_rel"]
    seen = lists.judged.grades.max(initial=0)
    if seen > highest:
        raise ParameterError(
            f"{m}: a document has the grade {seen:g}, above the highest of the scale, {highest:g}: "
            "give the scale's own, as max_grade or as the measure's max_rel"
        )
    return highest


_REL = Parameter("rel", NUMBER, "lowest grade of a relevant document", default=1)
_CUTOFF = Parameter("cutoff", COUNT, "the last rank that counts")
_MAX_REL = Parameter("max_rel", POSITIVE, "highest grade of the scale, by default the qrels' own")

MEASURES: dict[str, Definition] = {
    definition.name: definition
    for definition in (
        Definition(
            name="P",
            title="Precision at k",
            aliases=("Precision",),
            parameters=(_REL, Parameter("cutoff", COUNT, "k, the ranks counted", required=True)),
            formula=_precision,
            source="van Rijsbergen, Information Retrieval, 1979, ch. 7",
        ),
        Definition(
            name="Rprec",
            title="R-precision",
            aliases=("RPrec",),
            parameters=(_REL,),
            formula=_r_precision,
            source="Buckley and Voorhees, Retrieval System Evaluation, in TREC: Experiment and "
            "Evaluation in Information Retrieval, 2005",
        ),
        Definition(
            name="AP",
            title="Average precision",
            aliases=("MAP",),
            parameters=(_REL, _CUTOFF),
            formula=_average_precision,
            source="Harman, Evaluation issues in information retrieval, IPM 28(4), 1992",
        ),
        Definition(
            name="RR",
            title="Reciprocal rank",
            aliases=("MRR",),
            parameters=(_REL, _CUTOFF),
            formula=_reciprocal_rank,
            source="Kantor and Voorhees, The TREC-5 Confusion Track, Information Retrieval 2, 2000",
        ),
        Definition(
            name="nDCG",
            title="Normalised discounted cumulative gain",
            aliases=("NDCG",),
            parameters=(
                Parameter("dcg", DCG, "gain of a grade: g, or 2^g - 1", default="log2"),
                Parameter("gains", GAINS, "gains of grades; other grades are their own gain"),
                Parameter(
                    "base",
                    BASE,
                    "discount of Järvelin and Kekäläinen, log_b(i) from rank b on and none before, "
                    "in place of log2(1+i)",
                ),
                _CUTOFF,
            ),
            exclusive=(("dcg", "gains"),),
            formula=_ndcg,
            source="Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, "
            "TOIS 20(4), 2002; log2(1+i) and 2^g - 1: Burges et al., Learning to rank using "
            "gradient descent, ICML 2005",
        ),
        Definition(
            name="ERR",
            title="Expected reciprocal rank",
            parameters=(_MAX_REL, _CUTOFF),
            formula=_expected_reciprocal_rank,
            source="Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded "
            "relevance, CIKM 2009",
        ),
        Definition(
            name="RBP",
            title="Rank-biased precision",
            parameters=(
                Parameter("p", PROBABILITY, "persistence", default=0.8),
                Parameter("rel", NUMBER, "lowest grade of a relevant document; graded without it"),
                _MAX_REL,
                _CUTOFF,
            ),
            exclusive=(("rel", "max_rel"),),
            formula=_rbp,
            residual=_rbp_residual,
            source="Moffat and Zobel, Rank-biased precision for measurement of retrieval "
            "effectiveness, TOIS 27(1), 2008",
        ),
    )
}
"""Every measure by its canonical name."""
