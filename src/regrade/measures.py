"""Evaluation measures: their names, parameters and formulas.

A measure is written as `ir_measures` writes it, ``nDCG(dcg='exp-log2')@10``: a name, parameters
in parentheses, the last rank that counts after ``@``.  `MEASURES` holds one `Definition` for each;
`parse` turns text into a `Measure` and ``str`` turns it back, in one canonical spelling.

What they compute is in `regrade.formulas`.  `weights` and `continuation` give the user model of
those that are weighted means of gains.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from regrade import formulas
from regrade.errors import ParameterError, did_you_mean
from regrade.formulas import dcg_discount as dcg_discount
from regrade.formulas import dcg_gains as dcg_gains

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
SHARE = Kind("a number from 0 to 1", lambda v: _is_number(v) and 0 <= v <= 1)
NOT_NEGATIVE = Kind("a number from 0", lambda v: _is_number(v) and v >= 0)
GOAL = Kind("a number from 0.5", lambda v: _is_number(v) and v >= 0.5)
FLAG = Kind("True or False", lambda v: isinstance(v, bool))
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
    weights, continuation
        W(i) and C(i) of one ranking, where the measure is Σ W(i)·gain; see the functions of these
        names.  Without a `continuation`, C(i) = W(i+1) / W(i).
    adaptive
        Whether these depend on the gains of the ranking.
    exclusive
        Pairs of parameters of which a measure may have only one.
    """

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    formula: Formula
    source: str
    residual: Formula | None = None
    weights: formulas.Weights | None = None
    continuation: formulas.Weights | None = None
    adaptive: bool = False
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

    @property
    def judged_only(self) -> bool:
        """Whether unjudged documents are taken out of the rankings first."""
        return dict(self.given).get("judged_only", False)

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


def weights(
    measure: str | Measure,
    n: int,
    gains: np.ndarray | None = None,
    n_relevant: float | None = None,
) -> np.ndarray:
    """The weight W(i) of each rank i, where a measure is Σ W(i)·gain(i).

    Parameters
    ----------
    measure
        One whose definition has weights: P, AP, NCP, RR, DCG, SDCG, RBP, INSQ, INST.  Those of DCG
        have no finite sum; of all others the sum over all ranks of a ranking is 1, for AP and NCP
        if it is the ideal ranking.
    n
        Ranks wanted.
    gains
        Any number of gains from 0 to 1, from rank 1 down; below there are none.  Measures that
        adapt to the ranking (AP, NCP, RR, INST) need them.
    n_relevant
        R, for AP and NCP; by default the number of gains above 0.

    Returns
    -------
    numpy.ndarray
        (n,) float64.

    Raises
    ------
    ParameterError
        If the measure is no such sum, or gains are missing or off 0 to 1.

    References
    ----------
    yang2019 §2.3.2.
    """
    measure = parse(measure)
    ranking = _ranking(measure, n, gains, n_relevant)
    return measure.definition.weights(measure, *ranking)[:n]


def continuation(
    measure: str | Measure,
    n: int,
    gains: np.ndarray | None = None,
    n_relevant: float | None = None,
) -> np.ndarray:
    """The probability C(i) that a user who is at rank i goes on to rank i + 1.

    C(i) = W(i+1) / W(i), with 0 / 0 = 0 (yang2019 Equation 2.15).  Parameters, errors and the
    shape of what is returned are those of `weights`.
    """
    measure = parse(measure)
    ranking = _ranking(measure, n + 1, gains, n_relevant)
    if measure.definition.continuation is not None:
        return measure.definition.continuation(measure, *ranking)[:n]
    w = measure.definition.weights(measure, *ranking)
    return np.divide(w[1:], w[:-1], out=np.zeros(len(w) - 1), where=w[:-1] > 0)[:n]


def _ranking(
    measure: Measure, n: int, gains: np.ndarray | None, n_relevant: float | None
) -> tuple[np.ndarray, np.ndarray, float]:
    """Ranks, gains and R, as far as rank n at least."""
    definition = measure.definition
    if definition.weights is None:
        known = ", ".join(d.name for d in MEASURES.values() if d.weights is not None)
        raise ParameterError(f"{measure} gives no weights to ranks; those that do are {known}")
    if definition.adaptive and gains is None:
        raise ParameterError(f"{measure}: its weights depend on the ranking: give its gains")
    given = np.asarray(() if gains is None else gains, dtype=np.float64)
    if not ((given >= 0) & (given <= 1)).all():
        raise ParameterError(f"{measure}: gains are to be from 0 to 1: divide by the highest")
    padded = np.append(given, np.zeros(max(n - len(given), 0)))
    R = np.count_nonzero(given) if n_relevant is None else n_relevant
    return np.arange(1.0, len(padded) + 1), padded, R


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


_REL = Parameter("rel", NUMBER, "lowest grade of a relevant document", default=1)
_BINARY = Parameter("rel", NUMBER, "lowest grade of a relevant document; graded without it")
_CUTOFF = Parameter("cutoff", COUNT, "the last rank that counts")
_DEPTH = Parameter("cutoff", COUNT, "k, the ranks counted", required=True)
_MAX_REL = Parameter("max_rel", POSITIVE, "highest grade of the scale, by default the qrels' own")
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
_BINARY_OR_GRADED = (("rel", "max_rel"),)

MEASURES: dict[str, Definition] = {
    definition.name: definition
    for definition in (
        Definition(
            name="P",
            title="Precision at k",
            aliases=("Precision",),
            parameters=(_REL, _JUDGED_ONLY, _DEPTH),
            formula=formulas.precision,
            residual=formulas.precision_residual,
            weights=formulas.precision_weights,
            source="van Rijsbergen, Information Retrieval, 1979, ch. 7",
        ),
        Definition(
            name="R",
            title="Recall at k",
            aliases=("Recall",),
            parameters=(_REL, _JUDGED_ONLY, _DEPTH),
            formula=formulas.recall,
            source="van Rijsbergen, Information Retrieval, 1979, ch. 7",
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
            formula=formulas.f_measure,
            source="van Rijsbergen, Information Retrieval, 1979, ch. 7",
        ),
        Definition(
            name="Rprec",
            title="R-precision",
            aliases=("RPrec",),
            parameters=(_REL, _JUDGED_ONLY),
            formula=formulas.r_precision,
            source="Buckley and Voorhees, Retrieval System Evaluation, in TREC: Experiment and "
            "Evaluation in Information Retrieval, 2005",
        ),
        Definition(
            name="AP",
            title="Average precision",
            aliases=("MAP",),
            parameters=(_REL, _JUDGED_ONLY, _CUTOFF),
            formula=formulas.average_precision,
            weights=formulas.average_precision_weights,
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
            formula=formulas.normalised_cumulative_precision,
            weights=formulas.normalised_cumulative_precision_weights,
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
            formula=formulas.reciprocal_rank,
            weights=formulas.reciprocal_rank_weights,
            continuation=formulas.reciprocal_rank_continuation,
            adaptive=True,
            source="Kantor and Voorhees, The TREC-5 Confusion Track, Information Retrieval 2, 2000",
        ),
        Definition(
            name="Bpref",
            title="Binary preference",
            aliases=("BPref",),
            parameters=(_REL,),
            formula=formulas.binary_preference,
            source="Buckley and Voorhees, Retrieval evaluation with incomplete information, "
            "SIGIR 2004",
        ),
        Definition(
            name="DCG",
            title="Discounted cumulative gain",
            parameters=(_GAIN, _GAINS, _BASE, _CUTOFF),
            exclusive=(("dcg", "gains"),),
            formula=formulas.dcg,
            weights=formulas.dcg_weights,
            source="as nDCG",
        ),
        Definition(
            name="nDCG",
            title="Normalised discounted cumulative gain",
            aliases=("NDCG",),
            parameters=(_GAIN, _GAINS, _BASE, _JUDGED_ONLY, _CUTOFF),
            exclusive=(("dcg", "gains"),),
            formula=formulas.ndcg,
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
            formula=formulas.q_measure,
            source="Sakai, On the reliability of information retrieval metrics based on graded "
            "relevance, IPM 43(2), 2007",
        ),
        Definition(
            name="ERR",
            title="Expected reciprocal rank",
            parameters=(_MAX_REL, _CUTOFF),
            formula=formulas.expected_reciprocal_rank,
            source="Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded "
            "relevance, CIKM 2009",
        ),
        Definition(
            name="nERR",
            title="Normalised expected reciprocal rank",
            parameters=(_MAX_REL, _CUTOFF),
            formula=formulas.normalised_expected_reciprocal_rank,
            source="as ERR; normalised: Clarke, Craswell, Soboroff and Ashkan, A comparative "
            "analysis of cascade measures for novelty and diversity, WSDM 2011",
        ),
        Definition(
            name="SDCG",
            title="Scaled discounted cumulative gain",
            parameters=(_GAIN, _BINARY, _MAX_REL, _DEPTH),
            exclusive=(*_BINARY_OR_GRADED, ("dcg", "rel")),
            formula=formulas.sdcg,
            residual=formulas.sdcg_residual,
            weights=formulas.sdcg_weights,
            source="Moffat, Thomas and Scholer, Users versus models, CIKM 2013",
        ),
        Definition(
            name="RBP",
            title="Rank-biased precision",
            parameters=(
                Parameter("p", PROBABILITY, "persistence", default=0.8),
                _BINARY,
                _MAX_REL,
                _CUTOFF,
            ),
            exclusive=_BINARY_OR_GRADED,
            formula=formulas.rbp,
            residual=formulas.rbp_residual,
            weights=formulas.rbp_weights,
            continuation=formulas.rbp_continuation,
            source="Moffat and Zobel, Rank-biased precision for measurement of retrieval "
            "effectiveness, TOIS 27(1), 2008",
        ),
        Definition(
            name="INSQ",
            title="INSQ, inverse squares",
            parameters=(
                Parameter("T", POSITIVE, "relevant documents that the user expects", default=1),
                _BINARY,
                _MAX_REL,
                _CUTOFF,
            ),
            exclusive=_BINARY_OR_GRADED,
            formula=formulas.insq,
            residual=formulas.insq_residual,
            weights=formulas.insq_weights,
            continuation=formulas.insq_continuation,
            source="Moffat, Scholer and Thomas, Models and metrics: IR evaluation as a user "
            "process, ADCS 2012",
        ),
        Definition(
            name="INST",
            title="INST, adaptive INSQ",
            parameters=(
                Parameter("T", GOAL, "relevant documents that the user expects", default=1),
                _BINARY,
                _MAX_REL,
                _CUTOFF,
            ),
            exclusive=_BINARY_OR_GRADED,
            formula=formulas.inst,
            residual=formulas.inst_residual,
            weights=formulas.inst_weights,
            continuation=formulas.inst_continuation,
            adaptive=True,
            source="Moffat, Bailey, Scholer and Thomas, INST: an adaptive metric for information "
            "retrieval evaluation, ADCS 2015",
        ),
    )
}
"""Every measure by its canonical name."""
