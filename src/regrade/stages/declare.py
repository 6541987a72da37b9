"""The language in which a stage is declared: fields, groups of tables, jobs, a card on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature

from regrade import choices as named_choices

MISSING = object()

MEASURES = {"$ref": "#/$defs/measure_list"}
"""What the schema says of a list of measures."""


CUT_NAME = {"pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]*$(?!\\n)"}
THRESHOLDS = {"type": "array", "items": {"type": "number"}, "minItems": 1}
"""What it says of the names of cuts by hand, and of their thresholds."""


# what a configuration writes under a key ---------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """A key of a stage's part of the configuration.

    Attributes
    ----------
    node
        What the configuration's schema says of it.
    is_required
        Whether it must be given.
    reads
        What reads its text, or each of several, and refuses what is written otherwise.
    """

    node: Mapping
    is_required: bool = False
    reads: Callable[[str], object] | None = None

    @property
    def kind(self) -> str:
        """What it names; empty for an option."""
        return self.node.get("names", "")

    @property
    def is_several(self) -> bool:
        """Whether it names several."""
        return "items" in self.node

    @property
    def is_input(self) -> bool:
        """Whether it names what is read, and is no option."""
        return bool(self.kind) and "object" not in self.types and "measure" not in self.kind

    @property
    def is_measures(self) -> bool:
        """Whether it is a list of measures, for which there is a parameter of its own."""
        listed = self.node.get("$ref") == MEASURES["$ref"]
        return listed or MEASURES in self.node.get("oneOf", ())

    @property
    def choices(self) -> list[str]:
        """The texts that it may be; empty where it may be others."""
        return [one for one in self.node.get("enum", ()) if one is not None]

    @property
    def is_scale(self) -> bool:
        """Whether it says on which levels a file's values are; what has been read knows it."""
        return self.node.get("$ref") == "#/$defs/levels"

    @property
    def types(self) -> tuple[str, ...]:
        """The types of JSON that it may be of; none where the schema says more."""
        kinds = self.node.get("type", ())
        return (kinds,) if isinstance(kinds, str) else tuple(kinds)

    @property
    def about(self) -> str:
        """What it is, in a line."""
        return self.node.get("description", "")

    def with_default(self, default: object) -> Field:
        """The same, of another value where nothing is given."""
        return replace(self, node={**self.node, "default": default})

    @property
    def default(self) -> object:
        """What it is where nothing is given."""
        return self.node.get("default")


def _field(
    default: object, about: str, reads: Callable[[str], object] | None = None, **node: object
) -> Field:
    node = with_choices({key: value for key, value in node.items() if value is not None})
    if about:
        node["description"] = about
    if default is MISSING:
        return Field(node, is_required=True, reads=reads)
    return Field(node if default is ABSENT else {**node, "default": default}, reads=reads)


def with_choices(node: object) -> object:
    """The node with an enum for each ``choices``, a name in `regrade.choices`.

    What has properties, and no type, is a mapping without further ones.
    """
    if isinstance(node, list):
        return [with_choices(one) for one in node]
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("choices"), str):
        named = list(getattr(named_choices, node["choices"]))
        return {**{k: v for k, v in node.items() if k != "choices"}, "enum": named}
    if isinstance(node.get("properties"), dict) and "type" not in node:
        node = {"type": "object", "additionalProperties": False, **node}
    return {key: with_choices(value) for key, value in node.items()}


ABSENT = object()
"""The default of a key that has none and need not be given."""


def item_name(
    about: str = "Name of the item; absent, the name of its set.", default=ABSENT
) -> Field:
    """What an item is called, in paths too."""
    return _field(default, about, **{"$ref": "#/$defs/name"})


def one(kind: str, about: str, *, scale: str | None = None, default: object = MISSING) -> Field:
    """The name of one thing, such as a set of labels (``qrels``) or of judgments."""
    return _field(
        default,
        about,
        type=["string", "null"] if default is None else "string",
        names=kind,
        scale=scale,
    )


def several(
    kind: str,
    about: str,
    *,
    scale: str | None = None,
    least: int | None = None,
    default: object = MISSING,
) -> Field:
    """The names of several things."""
    return _field(
        default,
        about,
        type=["array", "null"] if default is None else "array",
        names=kind,
        scale=scale,
        items={"type": "string"},
        minItems=least,
        uniqueItems=True,
    )


def measures(default: object, about: str) -> Field:
    """A list of measures; by default ``None``: those that mean something on the scale."""
    node = {"oneOf": [MEASURES, {"type": "null"}]} if default is None else MEASURES
    return _field(default, about, **node)


def option(
    default: object,
    about: str,
    *,
    type: str | list[str] | None = None,
    choices: str | None = None,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    reads: Callable[[str], object] | None = None,
) -> Field:
    """A number, a text, true or false; or one of the choices of that name in `regrade.choices`."""
    if choices is not None:
        named = [*getattr(named_choices, choices), *([None] if default is None else [])]
        return _field(default, about, enum=named)
    return _field(
        default,
        about,
        reads,
        type=type or TYPES[default.__class__],
        minimum=least,
        maximum=most,
        exclusiveMinimum=above,
        exclusiveMaximum=below,
    )


TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
"""How JSON Schema calls what a plain value is."""


def options(
    default: object,
    about: str,
    *,
    type: object = None,
    choices: str | None = None,
    fewest: int | None = None,
    most: int | None = None,
    distinct: bool = True,
    reads: Callable[[str], object] | None = None,
    **bounds: object,
) -> Field:
    """A list of numbers or texts, or of the choices of that name in `regrade.choices`."""
    item = {"type": type, **bounds}
    if choices is not None:
        item = {"choices": choices}
    return _field(
        default,
        about,
        reads,
        type=["array", "null"] if default is None else "array",
        items=item,
        minItems=fewest,
        maxItems=most,
        uniqueItems=True if distinct else None,
    )


def part(about: str, default: object = ABSENT, **fields: Field) -> Field:
    """Keys of their own below a key."""
    node = _mapping(fields, about)
    return _field(default, "", **node | ({"type": ["object", "null"]} if default is None else {}))


def listed(about: str, of_each: str, **fields: Field) -> Field:
    """A list of such parts, by default empty."""
    return _field([], about, type="array", items=_mapping(fields, of_each))


def schema(default: object = ABSENT, about: str = "", **node: object) -> Field:
    """Whatever else JSON Schema can say."""
    return _field(default, about, **node)


def _mapping(fields: Mapping[str, Field], about: str) -> dict:
    required = [name for name, one in fields.items() if one.is_required]
    return {
        "type": "object",
        "additionalProperties": False,
        **({"required": required} if required else {}),
        "description": about,
        "properties": {name: one.node for name, one in fields.items()},
    }


# what a stage makes, and by which jobs -----------------------------------------------------------

NEEDED, USED, UNUSED = "needed", "used", "unused"
"""What runs are to tables: they cannot be without; made where there are some; nothing."""


@dataclass(frozen=True)
class Tables:
    """Tables of a stage that are made under the same conditions.

    Attributes
    ----------
    name
        The section of the catalogue that declares them.
    runs
        `NEEDED`, `USED` or `UNUSED`.
    asks
        The options that an item must give for them, beside those that any item needs; of several
        with a bar between, one.
    lists
        Column of the tables → the option that lists the values made; ``table:column`` where a
        table differs.
    tell_of_runs
        Those of tables without runs that tell of systems too where there are runs.
    of_labels
        Whether they tell of labels or documents: there are none of scores by item.
    stage
        Which makes them.
    """

    name: str
    runs: str = NEEDED
    asks: tuple[str, ...] = ()
    lists: Mapping[str, str] = field(default_factory=dict)
    tell_of_runs: tuple[str, ...] = ()
    of_labels: bool = False
    stage: type[Stage] | None = None

    @property
    def key(self) -> str:
        """The collection's key that asks for them."""
        return self.stage.key

    @property
    def needs_runs(self) -> bool:
        """Whether they tell of systems."""
        return self.runs != UNUSED

    @property
    def name_in_messages(self) -> str:
        """How messages say what the configuration asks for them by."""
        return self.stage.written or f"`{self.key}`"


def gives(options: Mapping, asks: Sequence[str]) -> bool:
    """Whether options give all that is asked for; see `Tables`."""
    return all(any(options.get(name) for name in one.split("|")) for one in asks)


@dataclass(frozen=True)
class Read:
    """An input of a job.

    Attributes
    ----------
    kind
        ``sets``: the tables of the sets that a field names; ``codes``: the same labels in the codes
        of the runs; ``scores``: those under these sets; ``design``: scores by item that a file
        brings; ``counted``: of preferences, those that
        count; ``runs``; ``made``: a table of the same item; ``table``: a table of another stage;
        ``file``: the file that a field names; ``groups``; ``families``; ``cuts``: of
        transformations; ``searches``: the tables of searches; ``sweep``: of a sweep; ``effects``:
        of other collections.
    name
        The field, or the table.
    of
        For ``table``: the group of tables, and the field that names its item, if it has several.
        For ``cuts``: the part.
    is_optional
        Of runs: whether the job is without them too.
    choose
        For sets, which of them, from the options of the item, where no field names just these; for
        searches, the transformation and the name of each, from the collection.
    load
        The function that reads it, by its module and name; empty: what the kind gives.
    is_read
        Whether an item has it read, from its options.
    """

    kind: str
    name: str
    of: tuple[str, str] = ("", "")
    is_optional: bool = False
    choose: Callable | None = None
    load: str = ""
    is_read: Callable[[Mapping], bool] = lambda item: True

    def where(self, is_read: Callable[[Mapping], bool]) -> Read:
        """The same, of some items only."""
        return replace(self, is_read=is_read)


def sets(name: str, choose: Callable[[Mapping], object] | None = None) -> Read:
    """The tables of the sets that a field names, or that follow from the item's options."""
    return Read("sets", name, choose=choose)


def codes(name: str) -> Read:
    """The labels that a field names, in the codes of the runs."""
    return Read("codes", name)


def scores(name: str) -> Read:
    """The scores of systems under each of the qrels that a field names."""
    return Read("scores", name)


def design(name: str, choose: Callable[[Mapping], object] | None = None) -> Read:
    """The scores by item that a field names, as `regrade.item_scores.scores.ScoreDesign`.

    ``None`` where it names none.
    """
    return Read("design", name, choose=choose)


def counted(name: str) -> Read:
    """The answers of sets of preferences: those that `pairs` about a set keeps, if any is."""
    return Read("counted", name)


def made(name: str) -> Read:
    """A table that another job of the same stage makes, of the same item."""
    return Read("made", name)


def table(group: str, name: str, item: str = "") -> Read:
    """A table of another stage, where that is asked for; of the item that a field names, if any."""
    return Read("table", name, (group, item))


def file(name: str, load: str = "") -> Read:
    """The file that a field names, or the files by name.

    `load` is a function of the library, ``regrade.module.name``, from its path and the options of
    the job to what it holds.
    """
    return Read("file", name, load=load)


def cuts(name: str, part: str, load: str = "") -> Read:
    """What is known of the cuts of transformations, by a part of `regrade.workflow.inputs.cuts`.

    `load` is a function of the library, ``regrade.module.name``, from paths and what is told;
    without it the job gets these, as ``paths`` and ``told``.
    """
    return Read("cuts", name, (part, ""), load=load)


def searches(choose: Callable[[object], object]) -> Read:
    """The best cuts and α of searches, each as (transformation, search), from the collection."""
    return Read("searches", "searches", choose=choose)


def effects() -> Read:
    """An effect in several collections: the table of each that holds it, by collection."""
    return Read("effects", "effects")


def sweep(load: str) -> Read:
    """A sweep, of what it reads; `load` as of `cuts`."""
    return Read("sweep", "sweep", load=load)


RUNS = Read("runs", "runs")
RUNS_IF_ANY = replace(RUNS, is_optional=True)
GROUPS = Read("groups", "groups")
FAMILIES = Read("families", "families")


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job of a stage: a function from what is read and the options to tables by name.

    Attributes
    ----------
    function
        Takes data (`regrade.workflow.stage_job.JobData`, or what holds the same in memory) and
        options by their names; gives tables and files by name.
    reads
        Its inputs.
    uses
        The options that it is given, with blanks between, where its parameters do not name them
        all: the stage's, the collection's, or those of tests of pairs.
    makes
        Groups of tables, or tables by their paths, with blanks between; what several jobs could
        make of an item, the last of them makes. None: all of the stage.
    files
        Names of files that it makes beside its tables, such as ``pairs.csv``.
    memory, pairs_of_systems
        Megabytes, and kilobytes for each pair of systems beside them.
    minutes, threads
        Of the job; threads may follow from the collection and the options of the item.
    asks
        Options that an item must give for the job to be, with blanks between.
    needs_runs
        Whether it is only where there are runs.
    further
        What else it is told, from the collection and the name of the item.
    group
        Of small jobs that a cluster runs together.
    """

    function: Callable
    memory: int = 2000
    minutes: int = 30
    reads: Sequence[Read] = ()
    uses: str = ""
    makes: str = ""
    files: Sequence[str] = ()
    threads: int | Callable[[object, Mapping], int] = 1
    pairs_of_systems: float = 0.0
    asks: str = ""
    needs_runs: bool = False
    further: Callable | None = None
    group: str | None = None

    @property
    def name(self) -> str:
        """Of the rule."""
        return self.function.__name__

    @property
    def options(self) -> list[str]:
        """The names of the options that it is given."""
        return self.uses.split() or [*signature(self.function).parameters][1:]

    def is_maker(self, group: str, table: str) -> bool:
        """Whether it makes a table of a group."""
        return not self.makes or bool({group, table} & {*self.makes.split()})


def job(**how: object) -> Callable[[Callable], Job]:
    """Declare a function of a stage's body as one of its jobs, by what `Job` says of it."""
    return lambda function: Job(function=function, **how)


SECTIONS = ("Systems", "Topics", "Labels", "Pool", "Choices", "Crowd")
"""Sections of the page, in order."""


@dataclass(frozen=True)
class Card:
    """How the page shows a stage's answer.

    Attributes
    ----------
    question
        The name of the answer, of its figure's function (``figure_<question>``) and its caption.
    draws
        The tables that the figure shows, of those that there are; none: no figure.
    first
        How many systems the figure shows at most; 0: all.
    section
        One of `SECTIONS`.
    about
        What the card is said to be about, from the collection and the item's name; by default that.
    figure, caption
        The figure's function and the caption, where they have other names than the question.
    settings
        What the figure is told beside its tables, from the collection and the item's name.
    explored
        Whether an explorer shows the item.
    """

    question: str
    draws: tuple[str, ...] = ()
    first: int = 0
    section: str = "Systems"
    about: Callable[[object, str], str] | None = None
    figure: str = ""
    caption: str | Callable[[object, str], str] = ""
    settings: Callable[[object, str], Mapping] | None = None
    explored: bool = False


@dataclass(frozen=True)
class Effect:
    """An effect that a question's tables hold, so that several collections can be compared by it.

    Attributes
    ----------
    name
        As the configuration names it.
    table
        The path of its table, which has a row for each topic or, with a column ``replicate``, for
        each bootstrap sample of topics; replicate 0 is of all topics once.
    value
        The column that holds it.  The effect is its mean over topics, or the value of replicate 0.
    keys
        The columns that say whose it is: the judge, the judge and the family.
    symbol, words
        What it is called in a table, and in a sentence.
    is_agreement
        Whether more is better, so that those whose it is are ranked by it; else 0 is no effect.
    less
        A column that is subtracted, such as a control's; rows without it have no effect.
    only
        A column of truth values: rows where it is false are not counted.
    has_margin
        Whether its table states margins (``margin_low``, ``margin_high``) and whether a further
        condition of a yes is met (``passes``), so that there is one verdict.
    """

    name: str
    table: str
    value: str
    keys: tuple[str, ...]
    symbol: str
    words: str
    is_agreement: bool = False
    less: str = ""
    only: str = ""
    has_margin: bool = False


@dataclass(frozen=True)
class Door:
    """How a stage's question is asked outside the workflow.

    Attributes
    ----------
    function
        Of the library, `regrade.<function>`.
    command
        Of the command line; its page is ``docs/questions/<command>.md``.
    brings
        What whoever asks has.
    """

    function: str
    command: str
    brings: str


SCORES = one(
    "scores",
    "Scores by item, a set under `scores` of the collection, in place of qrels and runs.",
    default=None,
)
"""What stages name that need no rankings of documents; exactly one of it and qrels."""

FIRST = 25
"""Systems in a figure that shows the first ones only."""


def qrels_of(key: str) -> Callable[[object, str], str]:
    """What a card is about: the labels that a key names, and what the item is called."""
    return lambda collection, item: ", ".join(
        filter(None, [collection.options[key]["qrels"], item])
    )


class Stage:
    """A part of the workflow that a collection asks for, by a key that holds its options.

    A subclass declares it: fields and jobs stand in its body, the rest are class attributes.

    Attributes
    ----------
    key
        The collection's key.
    has_key
        Whether the configuration has it; else its items follow from other keys.
    title
        What an item is called on a page of keys of its own, and in the schema, in small letters.
    place
        Where it stands among others, on the page too.
    question
        In the words of whoever asks it; empty: its tables answer none.
    door
        How it is asked outside the workflow.
    about
        What the key is for; where it holds several items, its docstring says what one is.
    called
        What an item is called that gives no name, as a format of its fields; empty: the key holds
        one set of options, and no items.
    noun
        What messages call an item, where another key may name one.
    held
        What the key holds, where it is neither items nor one set of options.
    tables
        Groups of its tables; by default one of its name, which cannot be without runs.
    needs
        Keys without which it cannot be.
    target
        The rule that makes all that it asks for.
    is_partial
        Whether `all` makes of its tables only those that the page and the studies show.
    written
        How messages say what the configuration asks for it by, where that is not the key.
    card
        On the page.
    measured_on
        Inputs whose grades its measures count; by default all labels.
    scaled_by
        Fields that name the sets on whose scales an item's default measures must be defined;
        empty: items have no default measures, or set them themselves.
    either
        Fields of which an item gives exactly one.
    effects
        What of its tables several collections can be compared by, the first by default.
    """

    key: str = ""
    has_key: bool = True
    title: str = ""
    place: int = 0
    question: str = ""
    door: Door | None = None
    about: str = ""
    called: str = ""
    noun: str = ""
    held: Field | None = None
    tables: tuple[Tables, ...] = ()
    needs: tuple[str, ...] = ()
    target: str = ""
    is_partial: bool = False
    written: str = ""
    card: Card | None = None
    measured_on: tuple[str, ...] = ()
    scaled_by: tuple[str, ...] = ()
    either: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    fields: Mapping[str, Field]
    jobs: Mapping[str, Job]

    def __init_subclass__(cls, **options: object) -> None:
        """Gather the fields and the jobs of the body."""
        super().__init_subclass__(**options)
        body = vars(cls)
        cls.fields = {
            name: value
            for name, value in body.items()
            if isinstance(value, Field) and value is not cls.held
        }
        cls.jobs = {name: value for name, value in body.items() if isinstance(value, Job)}
        cls.defined = cls.title.lower() or cls.key
        cls.tables = tuple(replace(one, stage=cls) for one in cls.tables or (Tables(cls.key),))

    @classmethod
    def definition(cls) -> dict:
        """What the schema says of an item, or of the one set of options."""
        node = _mapping(cls.fields, (cls.__doc__ and " ".join(cls.__doc__.split())) or "")
        if cls.either:
            node["anyOf"] = [{"required": [name]} for name in cls.either]
        if cls.title:
            del node["description"]
            return {"title": cls.title, **node}
        if not cls.called:
            node |= {"type": ["object", "null"], "default": None}
        return node

    @classmethod
    def property(cls) -> dict:
        """What the schema says of the key."""
        if cls.held is not None:
            return dict(cls.held.node)
        own = {"$ref": f"#/$defs/{cls.defined}"}
        if not cls.called:
            return own
        return {"type": "array", "default": [], "description": cls.about, "items": own}

    @classmethod
    def items(cls, collection) -> Mapping[str, Mapping] | None:
        """What a collection asks for, by name; ``None`` where there are no several."""
        items = collection.by_name(cls.key) if cls.called else None
        if not cls.scaled_by:
            return items
        return {
            name: collection.with_measures(
                item, collection.scales(*(item[field] for field in cls.scaled_by))
            )
            for name, item in items.items()
        }

    @classmethod
    def is_requested(cls, options: Mapping) -> bool:
        """Whether a collection's options ask for it."""
        return options[cls.key] not in (None, [])

    @classmethod
    def sets_besides(cls, options: Mapping) -> set[str]:
        """The sets that the key names beside those of which the schema says so."""
        return set()

    @classmethod
    def check(cls, collection, name: str, item: Mapping) -> None:
        """Refuse an item whose options do not fit; `collection` is the workflow's.

        Without items `name` is empty, and `item` is what the key holds.

        Raises
        ------
        ConfigError
            Naming the key and what to do.
        """
