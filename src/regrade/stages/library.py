"""What the library has of a stage: its options as a function's parameters, its jobs in memory."""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from numbers import Integral, Real
from textwrap import fill, indent
from types import SimpleNamespace
from typing import TYPE_CHECKING, TypeVar, overload

from regrade.argument_checks import Check, check_bounds, read_by, within
from regrade.catalogue import folder_of, tables_of
from regrade.errors import ParameterError, RegradeError, check_choice, did_you_mean
from regrade.label_sets import LabelSet
from regrade.measures import names_with_levels
from regrade.resources import one_blas_thread
from regrade.stages.common import measures_named, option_fields
from regrade.stages.declare import RUNS, TYPES, UNUSED, Field, Job, Stage, gives

if TYPE_CHECKING:
    from regrade.answers.shape import Answer
    from regrade.measures import Measure
    from regrade.run_arrays import Judged, RankedLists
    from regrade.scales import Scale

log = logging.getLogger(__name__)

R = TypeVar("R")
"""What a function gives, decorated or not."""

KINDS = {
    "boolean": (bool, "True or False"),
    "integer": (Integral, "a whole number"),
    "number": (Real, "a number"),
    "string": (str, "a text"),
    "array": (list | tuple, "a list"),
    "object": (Mapping, "a mapping"),
}
"""The types that a schema names: Python's, and how messages call what is of one."""

_WRITTEN = {kind: of.__name__ for of, kind in TYPES.items()} | {"object": "Mapping", "null": "None"}
"""The same, as signatures have them."""


# options as parameters ---------------------------------------------------------------------------


def asks(stage: type[Stage], **defaults: object) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Give a function the options of a stage as parameters, all by name, in place of `options`.

    The function gets them checked, as attributes of `options`.  They are told of at the end of its
    section ``Parameters``.  `defaults` are other ones than those of the configuration.  An option
    that the function has as a parameter itself, as it takes more there, is its own.

    As `checks_types`, it gives the function a ``check`` of some arguments and options by name.
    """

    def decorated(function: Callable) -> Callable:
        signature = inspect.signature(function)
        function = function if hasattr(function, "check") else checks_types(function)
        own = [one for one in signature.parameters.values() if one.name != "options"]
        known = [one.name for one in own]
        fields = {n: f for n, f in option_fields(stage, defaults).items() if n not in known}

        @wraps(function)
        def question(*arguments: object, **named: object) -> object:
            for name in named:
                if name not in (*known, *fields):
                    near = did_you_mean(name, (*known, *fields))
                    raise ParameterError(
                        f"there is no option '{name}' of {function.__name__}{near}"
                    )
            options = {name: named.pop(name, field.default) for name, field in fields.items()}
            for name, value in options.items():
                check_option(name, value, fields[name])
                options[name] = _completed(value, fields[name].node)
            return function(*arguments, **named, options=SimpleNamespace(**options))

        def check(**named: object) -> None:
            for name, value in named.items():
                if name in fields:
                    check_option(name, value, fields[name])
            function.check(**{name: one for name, one in named.items() if name in known})

        question.check = check

        question.__signature__ = signature.replace(
            parameters=[*own, *(_parameter(name, field) for name, field in fields.items())]
        )
        question.__doc__ = _with_options(function.__doc__, fields, known)
        return question

    return decorated


_ANNOTATED = {
    "bool": "boolean", "int": "integer", "float": "number", "str": "string",
    "Sequence[str]": "array", "None": "null",
}  # fmt: skip


@overload
def checks_types(function: Callable[..., R], /, **checks: Check) -> Callable[..., R]: ...
@overload
def checks_types(
    function: None = None, /, **checks: Check
) -> Callable[[Callable[..., R]], Callable[..., R]]: ...
def checks_types(function: Callable | None = None, /, **checks: Check) -> Callable:
    """Refuse arguments of other types than the function's annotations say, before it is called.

    Of parameters that are numbers, texts, truths, or lists of names; others are read as what they
    are.  Measures must be measures, threads one or more, and `checks` say of further parameters
    what else they may be; ``None`` is not checked.  The function's ``check`` asks all this of some
    arguments by name, as commands do before they read what the function takes.
    """
    if function is None:
        return partial(checks_types, **checks)
    signature = inspect.signature(function)
    kinds = {
        name: [_ANNOTATED[part] for part in one.annotation.split(" | ")]
        for name, one in signature.parameters.items()
        if isinstance(one.annotation, str) and {*one.annotation.split(" | ")} <= {*_ANNOTATED}
    }

    # without runs, measures may be names in scores by item
    takes_scores = "lower" in signature.parameters
    labels = signature.parameters.get("qrels")

    def of_labels(arguments: Mapping[str, object]) -> bool:
        have_labels = (
            labels is not None and labels.default is None and arguments.get("qrels") is not None
        )
        return have_labels or _are_runs(arguments.get("runs"))

    usual = {"measures": _check_measures, "threads": within(least=1)}
    checks = {name: one for name, one in usual.items() if name in signature.parameters} | checks

    def check(**arguments: object) -> None:
        for name, value in arguments.items():
            if name in kinds and not (value is None and "null" in kinds[name]):
                _check_type(name, value, [kind for kind in kinds[name] if kind != "null"])
            if name == "measures" and takes_scores and not of_labels(arguments):
                continue
            if name in checks and value is not None:
                checks[name](name, value)

    @wraps(function)
    def checked(*arguments: object, **named: object) -> object:
        check(**signature.bind_partial(*arguments, **named).arguments)
        return function(*arguments, **named)

    checked.check = check
    return checked


def _are_runs(runs: object) -> bool:
    return runs is not None and not (isinstance(runs, list | tuple) and not runs)


def measures_that(pass_check: Callable[[Measure], None]) -> Check:
    """Measures, each of which passes a check."""

    def check(_: str, measures: Sequence[str] | str) -> None:
        from regrade.measures import named_measures, parse_all

        for measure in parse_all(named_measures(measures)):
            pass_check(measure)

    return check


_check_measures = measures_that(lambda measure: None)


def check_kind(name: str, value: object, default: object) -> None:
    """Refuse what is not of a default's kind: a text for a number.

    Raises
    ------
    ParameterError
        Saying of what kind it should be.
    """
    kind = next(kind for kind, (of, _) in KINDS.items() if isinstance(default, of))
    _check_type(name, value, [kind])


def check_option(name: str, value: object, field: Field) -> None:
    """Refuse a value that an option cannot have.

    Raises
    ------
    ParameterError
        Saying what it can be.
    """
    node = field.node
    if value is None and field.default is None and not field.is_required:
        return
    if field.choices:
        _check_type(name, value, ["string"])
        check_choice(name, value, field.choices)
    elif field.types:
        _check_type(name, value, [kind for kind in field.types if kind != "null"])
        if isinstance(value, Real):
            bounds = {_BOUNDS[key]: bound for key, bound in node.items() if key in _BOUNDS}
            check_bounds(name, value, **bounds)
        elif "items" in node:
            check_bounds(f"the length of {name}", len(value), least=node.get("minItems", 0))
            for one in value:
                check_option(name, one, Field(node["items"], True, field.reads))
        elif field.reads is not None:
            read_by(field.reads)(name, value)
        elif "measure" in field.kind:
            _check_measures(name, [value])
        elif "pattern" in node and not re.search(node["pattern"], value):
            raise ParameterError(f"{name} is {value!r}: give {_lower(node['description'])}")


def _completed(value: object, node: Mapping) -> object:
    """An option with the defaults of its parts."""
    if not isinstance(value, Mapping):
        return value
    parts = node.get("properties", {}).items()
    return {name: part["default"] for name, part in parts if "default" in part} | {**value}


def _check_type(name: str, value: object, kinds: Sequence[str]) -> None:
    for kind in kinds:
        is_number = kind in ("integer", "number")
        if isinstance(value, KINDS[kind][0]) and not (is_number and isinstance(value, bool)):
            return
    raise ParameterError(f"{name} is {value!r}: give {' or '.join(KINDS[k][1] for k in kinds)}")


_BOUNDS = {
    "minimum": "least",
    "exclusiveMinimum": "above",
    "maximum": "most",
    "exclusiveMaximum": "below",
}
"""How a schema calls bounds, and how `regrade.argument_checks` does."""


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def annotation(field: Field) -> str:
    """The type of an option, as a signature has it."""
    if field.choices:
        return "str" if field.default is not None else "str | None"
    names = []
    for kind in field.types or ("object",):
        if kind == "array":
            item = field.node["items"]
            of = "string" if "enum" in item else str(item.get("type"))
            names.append(f"Sequence[{_WRITTEN.get(of, 'object')}]")
        else:
            names.append(_WRITTEN[kind])
    if field.default is None and "None" not in names:
        names.append("None")
    return " | ".join(names)


def _parameter(name: str, field: Field) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=annotation(field)
    )


SHARED = {
    "judge": "Judge whose scores by item count, where they are by several.",
    "missing": "Items of scores that some system or measure lacks: ``refuse``, or ``drop`` them.",
    "lower": "Measures of scores by item of which lower values are better.",
    "threads": "Number of threads; results do not depend on it.",
}
"""Parameters that questions share, of which a docstring says nothing itself."""


def _with_options(text: str, fields: Mapping[str, Field], known: Sequence[str] = ()) -> str:
    """A docstring that tells of the options, behind its other parameters; of these `SHARED` too."""
    text = inspect.cleandoc(text)
    shared = {name: SHARED[name] for name in known if name in SHARED}
    common = {n: one for n, one in shared.items() if not re.search(rf"^{n}$", text, re.MULTILINE)}
    about = "".join(
        f"{name}\n{indent(fill(one, 88, break_on_hyphens=False), '    ')}\n"
        for name, one in (common | {name: field.about for name, field in fields.items()}).items()
    )
    before, heading, after = text.partition("\nReturns\n-------\n")
    return f"{before.rstrip()}\n{about}{heading}{after}" if heading else text


# jobs in memory ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MemorySet(LabelSet):
    """A set in memory, as jobs take it.

    Attributes
    ----------
    judged
        For labels of runs: in the codes of `ranked`, the rankings of their topics.
    """

    ranked: RankedLists | None = None
    judged: Judged | None = None


class MemoryRuns:
    """Rankings in memory, as jobs take them."""

    def __init__(self, ranked: RankedLists):
        self._ranked = ranked

    longest = None

    def chunks(self, topics: Sequence[str] | None = None, **_: object) -> list:
        """All topics at once."""
        return [topics]

    def ranked(self, topics: Sequence[str] | None = None, **_: bool) -> RankedLists:
        """The rankings; with those topics that are named and that they lack."""
        return self._ranked if topics is None else self._ranked.with_topics(topics)


class StageTables(Mapping):
    """The tables of a stage by name, each made when it, or one of the same job, is first asked for.

    Attributes
    ----------
    stage
        The stage.
    answer
        The answer; ``None`` where the stage gives none to these inputs.
    inputs
        What its jobs read, by the names of its fields; ``runs``, ``groups`` and ``scores`` too.

    `notes` are what the answer says beside what its job knows: of how inputs were read; `further`
    is what else jobs are told.
    """

    def __init__(
        self,
        stage: type[Stage],
        inputs: Mapping[str, object],
        options: SimpleNamespace,
        notes: Sequence[str] = (),
        threads: int = 1,
        **further: object,
    ):
        self.stage = stage
        of_systems = dict.fromkeys(["runs", "groups"])
        if any(read.kind == "design" for job in stage.jobs.values() for read in job.reads):
            of_systems["scores"] = None  # elsewhere a table of this name may be read
        self.inputs = {**of_systems, **inputs}
        self._options = {"score_precision": "float64", **vars(options)}
        self._notes, self._threads = notes, threads
        self.further = SimpleNamespace(**further)
        self.answer: Answer | None = None
        self._made: dict[str, object] = {}
        self._job_of = {
            path.rpartition("/")[2]: job
            for job in stage.jobs.values()
            if self._is_served(job.asks.split()) and self._is_read(job)
            for group in stage.tables
            if self._is_served(group.asks) and (group.runs == UNUSED or self._has_systems)
            if not (group.of_labels and self.inputs.get("scores") is not None)
            for path in tables_of(group.name)
            if job.is_maker(group.name, path)
        }
        if "answer" in self._job_of:
            self["answer"]

    @property
    def _has_systems(self) -> bool:
        return self.inputs["runs"] is not None or self.inputs.get("scores") is not None

    def _is_served(self, asks: Sequence[str]) -> bool:
        return gives({**self.inputs, **self._options}, asks)

    def _is_read(self, job: Job) -> bool:
        """Whether there is what a job cannot be without; scores stand in place of all else."""
        if self.inputs.get("scores") is not None and any(one.kind == "design" for one in job.reads):
            return True
        fields = self.stage.fields
        needed = [r.name for r in job.reads if r.name in fields and fields[r.name].is_required]
        needed += [read.name for read in job.reads if read.kind in ("cuts", "searches", "sweep")]
        if (job.needs_runs or RUNS in job.reads) and not self._has_systems:
            return False
        return all(self.inputs.get(name) is not None for name in needed)

    def __getitem__(self, name: str) -> object:
        """A table by its name."""
        if name not in self._made:
            job = self._job_of[name]
            options = SimpleNamespace(**{name: self._option(name) for name in job.options})
            names = {name for name, makes in self._job_of.items() if makes is job}
            data = _MemoryData(self, options, self._threads, names)
            # jobs have threads of their own; those of products of matrices would wait for work
            with one_blas_thread():
                made = job.function(data, **vars(options))
            if "answer" in made:
                conclusion = made["answer"].naming(self.measure_names)
                self.answer = conclusion.with_notes(self._notes)
                made["answer"] = self.answer.to_frame()
            self._made |= {name: _framed(table) for name, table in made.items()}
        return self._made[name]

    @property
    def measure_names(self) -> dict[str, str]:
        """Measures whose level its options leave open, with the level on the labels' scale.

        None of scores by item, whose measures are plain names.
        """
        if self.inputs.get("scores") is not None:
            return {}
        counted = self.stage.measured_on or self.inputs
        scales = [scale for name in counted for scale in _scales_of_labels(self.inputs[name])]
        highest = max((scale.high for scale in scales), default=0.0)
        return names_with_levels(measures_named(self._options), highest)

    def served(self) -> dict[str, object]:
        """Every table that can be made; of the others the log says why not."""
        served = {}
        for name in self:
            try:
                served[name] = self[name]
            except RegradeError as error:
                log.warning("%s is not made: %s", name, error)
        return served

    def _option(self, name: str) -> object:
        """An option, or what it is where nobody gives it."""
        field = self.stage.fields.get(name)
        return self._options.get(name, field and field.default)

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self._job_of)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._job_of)


def _sets_in(source: object) -> list[MemorySet]:
    """The sets of an input: one, several, or none."""
    several = source if isinstance(source, list | tuple) else [source]
    return [one for one in several if isinstance(one, MemorySet)]


def _scales_of_labels(source: object) -> list[Scale]:
    """Of an input: of sets of labels, and of the sample that people labelled."""
    if hasattr(source, "scale") and not isinstance(source, MemorySet):
        return [source.scale]
    return [one.scale for one in _sets_in(source) if "grade" in one.table.column_names]


def _framed(table: object) -> object:
    """A table of Arrow's as a frame."""
    return table.to_pandas() if hasattr(table, "to_pandas") else table


class _MemoryData:
    """What a job reads, as `regrade.workflow.stage_job.JobData` has it of files."""

    def __init__(
        self, tables: StageTables, options: SimpleNamespace, threads: int, makes: set[str]
    ):
        self._tables, self.makes = tables, makes
        self.about, self.chunk_bytes, self.further = {}, None, tables.further
        self.options, self.threads, self.item = options, threads, ""
        self.log = logging.getLogger(f"regrade.{tables.stage.key}")

    def __getattr__(self, name: str) -> object:
        """An input by its name, or a table that another job makes."""
        tables = self.__dict__["_tables"]
        if name in tables.inputs:
            return tables.inputs[name]
        if name in tables:
            from regrade.catalogue.arrow import SCHEMAS
            from regrade.tables import as_table, conform

            folder = folder_of(tables.stage.tables[0].name)
            return conform(as_table(tables[name]), SCHEMAS[f"{folder}/{name}"], name)
        raise AttributeError(f"{tables.stage.key} reads no '{name}'")

    def chunks(self, labels: MemorySet, **_: bool) -> Iterator[tuple[RankedLists, Judged]]:
        """All topics at once."""
        yield labels.ranked, labels.judged
