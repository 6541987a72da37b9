"""A configuration for the files that a user has, found out by looking at them."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import escape
from itertools import combinations
from math import comb
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from regrade.answers.words import listed
from regrade.api.estimates import read_sample
from regrade.api.sets import Runs, read_runs
from regrade.audit.overlap import Overlap
from regrade.audit.rankings import audit_judged
from regrade.choices import COMPARED as COMPARED_MEASURES
from regrade.choices import GRID, NAMED_COLUMNS, SCORED
from regrade.command.given_files import GivenSet, sets_of
from regrade.errors import MethodError, ParameterError, RegradeError, check_braces
from regrade.estimation.estimates import FEWEST
from regrade.measures import default_measures, parse
from regrade.pools.options import DEEPEST
from regrade.pools.pooling import deeply_judged, judged_depth
from regrade.readers.groups import read_groups, read_pool_origins
from regrade.readers.sources import files_of, kind_of
from regrade.run_arrays import Judged
from regrade.scales import MAX_LEVELS, exactly
from regrade.sweeps.runs import LACKING
from regrade.wording import counted

log = logging.getLogger(__name__)

COMPARED = ("table-labels", "figure-confusion")
COMPARED_SYSTEMS = ("table-rankings", "table-pairs", "table-movers", "table-reliability")
COMPARED_SYSTEMS += ("figure-systems", "figure-pairs")
"""What is shown of two sets, and with runs."""

RANKED = ("table-systems", "table-pairs", "table-reliability", "table-power")
RANKED += ("figure-pairs", "figure-reliability", "figure-power")
"""What is shown of a ranking."""

SWEPT_MEASURES = 3
"""How many measures a sweep tries."""

RESIDUAL = "RBP(p=0.98)"
"""The measure whose residual stands beside pools."""

MOST_JUDGES = 60
"""Workers are judges, each a set of its own, where they are at most so many."""

_FEWEST = 2
_WIDTH = 97


@dataclass
class _Found:
    """What was given, by kind; `panel` are those sets that are of one worker of another."""

    runs: list[Path] = field(default_factory=list)
    groups: Path | None = None
    origins: Path | None = None
    samples: dict[str, tuple[Path, pa.Table]] = field(default_factory=dict)
    sets: dict[str, GivenSet] = field(default_factory=dict)
    panel: list[str] = field(default_factory=list)

    def of(self, *kinds: str) -> dict[str, GivenSet]:
        """The sets of some kinds, by name, but for those of the panel."""
        return {n: one for n, one in self.sets.items() if one.kind in kinds and n not in self.panel}

    @property
    def graded(self) -> dict[str, GivenSet]:
        """The labels that are grades, on few levels."""
        return {name: one for name, one in self.of("qrels").items() if one.is_coarse}


def configuration(paths: Sequence[str], name: str) -> str:
    """A configuration in YAML, with comments that say what was assumed."""
    found, name = _Found(), _called(name, ())
    files = [file for path in paths for file in files_of(path)]
    for file in files:
        try:
            _take(found, file)
        except RegradeError as error:
            if len(files) == 1:
                raise
            remedy = f"Or go on without it: name the other {len(files) - 1:,} only"
            raise ParameterError(f"{error}\n{remedy}") from error
    runs = read_runs([str(file) for file in found.runs]) if found.runs else None
    if runs is None and not found.sets:
        raise ParameterError("neither runs nor labels, judgments or preferences: add some")
    lines = [
        "# Written by `regrade init` from what the files hold: look at every line.",
        "# Every key is described in config/README.md.",
        f"collection: {name}",
        "collections:",
        f"  {name}:",
        *_of_runs(found, runs),
        *_of_sets(found, runs),
        *_measures(found, runs),
        *(stages := _stages(found, runs)),
        *_left_out(found, stages),
    ]
    _tell_of_references(found, stages)
    return "\n".join(lines) + "\n"


def _take(found: _Found, file: Path) -> None:
    check_braces(str(file.resolve()))
    kind, format = (of := kind_of(file)).kind, of.format
    if kind == "runs" and format is not None:
        raise ParameterError(
            f"{file}: looks like a run with named columns, and the workflow reads TREC's: write a "
            "file for each system, of lines: topic Q0 docno rank score tag"
        )
    if kind == "runs":
        found.runs.append(file)
    elif kind == "groups":
        read_groups(file)
        found.groups = file
    elif kind == "origins":
        read_pool_origins(file)
        found.origins = file
    elif kind == "sample":
        name = _called(file.name.partition(".")[0], list(found.samples))
        found.samples[name] = (file, read_sample(file).table)
    else:
        for one in sets_of(file, kind):
            name = _called(one.name, list(found.sets))
            found.sets[name] = replace(one, name=name)
            for judge in one.judges(MOST_JUDGES):
                name = _called(judge.name, list(found.sets))
                found.sets[name] = replace(judge, name=name)
                found.panel.append(name)


def _tell_of_references(found: _Found, stages: Sequence[str]) -> None:
    """Say which of several files of grades is taken for people's, where the stages ask so."""
    if names := [name for name in found.sets if {*_is_people_s(found, name)} & {*stages}]:
        log.warning(
            "%s: taken for people's labels, as named first of several, and for the reference of "
            "the others: if they are not, name people's file first",
            " and ".join(names),
        )


def _is_people_s(found: _Found, name: str) -> list[str]:
    """A comment that asks so of a reference, where other grades could be it."""
    if len(found.graded) < _FEWEST:
        return []
    return [f"    # {name}: the first labels named that fit; are they people's? else name theirs"]


def _called(name: str, taken: Sequence[str]) -> str:
    """A name that may stand in a configuration, once, and that YAML reads as text."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in ".+-") else "-" for c in name)
    plain = plain.lstrip(".+-") or "set"
    if plain.lower() in _TRUTHS or _NUMBER.fullmatch(plain):
        plain = f"set-{plain}"
    numbers = (f"{plain}-{n}" for n in range(2, len(taken) + 3))
    return plain if plain not in taken else next(n for n in numbers if n not in taken)


def _of_runs(found: _Found, runs: Runs | None) -> list[str]:
    if runs is None:
        return ["    # no runs were given: no systems are ranked"]
    patterns = [str(file.resolve()) for file in found.runs]
    folders = {file.parent for file in found.runs}
    if len(folders) == 1 and len(patterns) > 3:
        [folder] = folders
        if sorted(f for f in folder.iterdir() if f.is_file()) == sorted(found.runs):
            patterns = [f"{escape(str(folder.resolve()))}/*"]
    lines = [
        f"    # {counted(len(runs), 'system')}, {counted(len(runs.topics), 'topic')}",
        "    runs:",
    ]
    lines += [f"      - {_written(pattern)}" for pattern in patterns]
    if found.groups is not None:
        lines.append(f"    groups: {_written(str(found.groups.resolve()))}")
    if found.origins is not None:
        lines.append(f"    pool_origins: {_written(str(found.origins.resolve()))}")
    return lines


def _of_sets(found: _Found, runs: Runs | None) -> Iterator[str]:
    for kind in ("qrels", "judgments", "preferences"):
        sets = {name: one for name, one in found.sets.items() if one.kind == kind}
        if sets:
            yield f"    {kind}:"
        for name, one in sets.items():
            if name in found.panel:
                yield f"      {name}: {_written({'file': str(one.file.resolve()), **one.options})}"
                continue
            yield f"      # {one.said}"
            if runs is not None and kind == "qrels":
                yield f"      # {_overlap(one, runs)}"
            yield f"      {name}:"
            yield f"        file: {_written(str(one.file.resolve()))}"
            for key, value in one.options.items():
                line, note = f"        {key}: {_written(value)}", one.notes.get(key, "")
                if len(line) + len(note) > _WIDTH:
                    yield f"        # {note}"
                    note = ""
                yield f"{line} # {note}" if note else line


def _overlap(one: GivenSet, runs: Runs) -> str:
    """What labels and runs share."""
    ranked = runs.ranked.with_topics(one.topics)
    shown = one.table["docno"][0].as_py()
    overlap = Overlap.of(one.name, shown, Judged.from_table(one.table, ranked), ranked)
    overlap.check()
    return "; ".join([overlap.facts(), *overlap.warnings()])


def _measures(found: _Found, runs: Runs | None) -> list[str]:
    """The measures of the runs: those that are taken where none is named."""
    if runs is None:
        return []
    sets = found.of("qrels")
    served = {name: default_measures(one.scale) for name, one in sets.items()}
    measures = dict.fromkeys(measure for names in served.values() for measure in names)
    lines = []
    if any(parse(measure).relevant_from is not None for measure in measures):
        lines.append("    # relevant is a grade from 1 on, as in trec_eval; AP(rel=2): from 2 on")
    for name in [name for name, names in served.items() if not names]:
        scale = sets[name].scale
        middle = f"{(scale.low + scale.high) / 2:.3g}"
        measures[f"AP(rel={middle})"] = None
        lines += [
            f"    # {name} holds numbers below 0, which are no gains: relevant is what has",
            f"    # {middle} or more, the middle of its scale: say from which on it is",
        ]
    return [*lines, f"    measures: {_written([*(measures or SCORED)])}"]


def _stages(found: _Found, runs: Runs | None) -> list[str]:
    """What these files can be asked."""
    cuts, lines, shown = _transformations(found), [], {}
    ranked = _ranking(found, runs)
    if ranked:
        shown["ranking"] = [f"{item}: {{ranking: {_written(ranked)}}}" for item in RANKED]
    if cuts:
        head = ["    # where to cut fine scales", "    transformations:"]
        lines = [*head, *(cut.line for cut in cuts), *_trust(cuts)]
        shown["han2019"] = ["table-2: {}"]
    judged = _judges(found)
    pairs, apart = _pairs(found, runs)
    if judged:  # one table of all, in place of a comparison of each two
        first = next(iter(found.of("qrels")))
        pairs = [pair for pair in pairs if first in pair][:1]
    lines += apart + judged + _calibration(found)
    if pairs:
        lines += ["    # would the evaluation have come out differently under the other set?"]
        listed = ", ".join(f"[{a}, {b}]" for a, b in pairs)
        lines.append(f"    compare: {{pairs: [{listed}]}}")
        pair = f"{{pair: {pairs[0][0]}-and-{pairs[0][1]}}}"
        several = runs is not None and len(runs) >= _FEWEST
        items = (*COMPARED, *COMPARED_SYSTEMS) if several else COMPARED
        shown = {"compare": [f"{item}: {pair}" for item in items], **shown}
    lines += _estimates(found)
    if preferred := list(found.of("preferences")):
        lines += ["    # scores of documents from the preferences", "    pairs:"]
        lines += [f"      - {{set: {name}, methods: [bradley-terry]}}" for name in preferred]
        lines += _power(found, preferred)
    lines += _magnitudes(found)
    if ranked:
        head = "    # which system is best, and how sure?"
        of_runs = _of_judgments(found, ranked, runs)
        head = [head, *_is_people_s(found, ranked)]
        lines = [*head, f"    ranking: [{{qrels: {_written(ranked)}}}]", *of_runs, *lines]
    lines += _sweep(found, runs)
    if runs is None and (swept := _label_sweep(found)):
        lines += swept
        shown["sweeps"] = ["table-label-entries: {}"]
    return [*lines, *_studies(shown)]


def _estimates(found: _Found) -> list[str]:
    """What full judging would have said, from labels of chosen documents and models' of all."""
    lines, items = [], []
    for name, (file, table) in found.samples.items():
        topics, docnos = (table[column].to_pylist() for column in ("topic", "docno"))
        listed = set(zip(topics, docnos, strict=True))
        grades = pc.drop_null(table["grade"]).to_numpy()
        models = [
            _written(one.name)
            for one in found.of("qrels").values()
            if {key for key in one.documents if key[0] in {*topics}} <= listed
        ]
        if not models or len(grades) < FEWEST:
            lines.append(f"    # {file.name} needs labels by a model of no other documents than it")
            lines.append(f"    # lists, and {FEWEST} labels by people; it has {len(grades)}")
            continue
        levels = max(2, int(grades.max()) + 1)
        said = f"file: {_written(str(file.resolve()))}, levels: {levels}"
        items.append(f"      - {{name: {name}, models: [{', '.join(models)}], {said}}}")
    if items:
        lines.append(
            "    # what would full judging have said? people label on so many levels, from 0"
        )
        lines.append("    estimates:")
    return [*lines, *items]


def _power(found: _Found, preferred: Sequence[str]) -> Iterator[str]:
    """How well the grades tell apart what people prefer."""
    topics = set.intersection(*(found.sets[name].topics for name in preferred))
    graded = {name: one.topics for name, one in found.graded.items() if one.topics & topics}
    if graded and set.intersection(*graded.values()) & topics:
        yield "    # how well do labels tell apart what people prefer?"
        sets, beside = _written(list(graded)), _written(preferred)
        yield f"    power: [{{sets: {sets}, preferences: {beside}, modes: [aggregate]}}]"


def _magnitudes(found: _Found) -> Iterator[str]:
    """What judgments are worth as gains that may be magnitudes: above 0, in units, on no levels."""
    for name, one in found.of("judgments").items():
        beside = [n for n, labels in found.graded.items() if labels.documents & one.documents]
        in_units = not one.table["unit"].null_count
        if beside and in_units and not one.scale.finite and one.scale.low > 0:
            yield "    # if only ratios within a unit count: what are these worth as gains?"
            references = _written(beside[:1])
            yield f"    magnitudes: [{{set: {_written(name)}, references: {references}}}]"
            return


def _ranking(found: _Found, runs: Runs | None) -> str | None:
    """The set that ranks the systems: the first of grades that judges two topics of theirs."""
    if runs is None or len(runs) < _FEWEST:
        return None
    shared = {n: one.topics.intersection(runs.topics) for n, one in found.graded.items()}
    return next((name for name, topics in shared.items() if len(topics) >= _FEWEST), None)


def _sweep(found: _Found, runs: Runs | None) -> list[str]:
    """Every combination of the choices that these files leave, beside the first grades."""
    graded = found.graded
    if runs is None or len(runs) < _FEWEST or not graded:
        return []
    first, people = next(iter(graded.items()))
    topics, levels = people.topics, people.levels
    entries = [(name, _written(name)) for name in graded]
    for cut in _transformations(found):
        if cut.levels == levels:
            rules = "best, equal_widths" if cut.references else "equal_widths"
            entries.append((cut.source, f"{{cuts: {cut.name}, which: [{rules}]}}"))
    few = [
        name for name, _ in entries if len(topics - found.sets[name].topics) > LACKING * len(topics)
    ]
    labels = [text for name, text in entries if name not in few]
    named = default_measures(people.scale) or SCORED
    measures = _written(named[:SWEPT_MEASURES])
    return [
        "    # every combination of these choices, and which of them decides",
        *_is_people_s(found, first),
        *([f"    # not {listed(few)}: too few of the topics"] if few else []),
        *_swept(
            "choices",
            f"{{labels: {_written(first)}}}",
            labels=f"[{', '.join(labels)}]",
            unjudged="[non-relevant, condensed]",
            pool="[all, depth-10]",
            ties="[rank, docno]",
            measure=measures,
            test="[t/none, t/holm]",
        ),
    ]


def _swept(name: str, baseline: str, **axes: str) -> list[str]:
    head = ["    sweeps:", f"      {name}:", f"        baseline: {baseline}", "        axes:"]
    return [*head, *(f"          {axis}: {levels}" for axis, levels in axes.items())]


def _label_sweep(found: _Found) -> list[str]:
    """Every way to make labels of what is finer than the first grades, beside these."""
    if not found.graded:
        return []
    first, people = next(iter(found.graded.items()))
    levels = people.levels
    cuts = [
        cut.name
        for cut in _transformations(found)
        if cut.references
        and cut.levels == levels
        and found.sets[cut.source].documents & people.documents
    ]
    if not cuts:
        return []
    # a baseline that comes first is never another's double
    labels = ", ".join(f"{{cuts: {cut}, which: [equal_widths, best, rounded]}}" for cut in cuts)
    return [
        "    # every way to label, and how much each agrees with the grades",
        *_is_people_s(found, first),
        *_swept(
            "ways",
            f"{{labels: {cuts[0]} equal_widths, reference: {_written(first)}}}",
            labels=f"[{labels}]",
            metric="[ordinal, nominal]",
            **({"topics": "[all, halves-20]"} if len(people.topics) >= 4 else {}),
        ),
    ]


def _pairs(found: _Found, runs: Runs | None) -> tuple[list[tuple[str, str]], list[str]]:
    """The sets of grades that can be compared, and why others of the same levels cannot."""
    ranked = None if runs is None else set(runs.topics)
    pairs, apart = [], []
    for (a, first), (b, second) in combinations(found.graded.items(), 2):
        if first.scale != second.scale:
            continue
        topics = first.topics & second.topics
        if not first.documents & second.documents:
            apart.append(f"    # {a} and {b} judge no document both: they are not compared")
        elif ranked is not None and not topics & ranked:
            apart.append(f"    # no run has a topic of both {a} and {b}: they are not compared")
        else:
            pairs.append((a, b))
    return pairs, apart


def _reference(found: _Found) -> str | None:
    """The first grades on levels beside which judges are held."""
    graded = found.of("qrels").items()
    return next((name for name, one in graded if one.levels in JUDGED_LEVELS), None)


def _judges(found: _Found) -> list[str]:
    """Several sets beside the first grades."""
    graded, reference = found.of("qrels"), _reference(found)
    if reference is None:
        return []
    documents = found.sets[reference].documents
    others = {name: one for name, one in graded.items() if name != reference}
    others |= {name: found.sets[name] for name in found.panel}
    judges = [name for name, one in others.items() if one.documents & documents]
    if len(judges) < _FEWEST:
        return []
    levels = found.sets[reference].levels
    grids = {name: GRID for name in judges if _has_many_cuts(others[name], levels)}
    grid = f", grid: {_written(grids)}" if grids else ""
    return [
        "    # which judge is best, and what does each change?",
        *_is_people_s(found, reference),
        f"    judges: [{{reference: {_written(reference)}, sets: {_written(judges)}{grid}}}]",
    ]


def _calibration(found: _Found) -> list[str]:
    """What values on a finer scale say of the first grades."""
    reference = _reference(found)
    if reference is None:
        return []
    people = found.sets[reference]
    finer = [
        name
        for name, one in found.of("qrels", "judgments").items()
        if name != reference
        and not (one.is_coarse and one.scale.high <= people.scale.high)
        and len(one.topics & people.topics) >= _FEWEST
        and one.documents & people.documents
    ]
    if not finer:
        return []
    sets = _written(finer[:CALIBRATED])
    return [
        "    # is a cut of the values enough, and what do they say of grades?",
        *_is_people_s(found, reference),
        f"    calibration: [{{reference: {_written(reference)}, sets: {sets}}}]",
    ]


CALIBRATED = 3
"""Sets at most of which that is asked: some ten seconds each."""

JUDGED_LEVELS = range(_FEWEST, MAX_LEVELS + 1)
"""Of a reference beside which judges are held."""


def _studies(shown: Mapping[str, Sequence[str]]) -> list[str]:
    """The tables and figures to make."""
    lines = ["    # what the report shows; config/README.md lists all", "    studies:"]
    for study, items in shown.items():
        lines += [f"      {study}:", *(f"        {item}" for item in items)]
    return lines if shown else []


@dataclass(frozen=True)
class _Transformation:
    """The cuts of a set into so many levels, beside sets that have these."""

    source: str
    levels: int
    references: tuple[str, ...]
    has_many_cuts: bool

    @property
    def name(self) -> str:
        """As a configuration refers to it."""
        return f"{self.source}-to-{self.levels}"

    @property
    def line(self) -> str:
        """As a configuration says it."""
        grid = f", grid: {GRID}" if self.has_many_cuts else ""
        references = ", ".join(self.references)
        return (
            f"      - {{source: {self.source}, levels: {self.levels}, references: [{references}]"
            f"{grid}}}"
        )


def _transformations(found: _Found) -> list[_Transformation]:
    """Cuts of what is finer than some labels into as many levels as these have."""
    references: dict[int, list[GivenSet]] = {}
    for one in found.of("qrels").values():
        if one.levels is not None and _FEWEST <= one.levels <= MAX_LEVELS:
            references.setdefault(one.levels, []).append(one)
    made = []
    for name, source in found.of("qrels", "judgments").items():
        if source.kind == "qrels" and source.is_coarse:
            continue
        wanted = references or ({_FEWEST: []} if source.kind == "judgments" else {})
        for levels in sorted(wanted):
            if source.scale.levels is not None and source.scale.levels <= levels:
                continue
            beside = [one.name for one in wanted[levels] if one.documents & source.documents]
            if beside or source.kind != "qrels":
                has_many = _has_many_cuts(source, levels)
                made.append(_Transformation(name, levels, tuple(beside), has_many))
    return made


def _has_many_cuts(source: GivenSet, levels: int) -> bool:
    """Whether there are more cuts than of S100 into four levels: τ of all would take long."""
    if source.scale.finite:
        return False
    return comb(len(pc.unique(source.values)) - 1, levels - 1) > comb(GRID, MAX_LEVELS - 1)


def _trust(cuts: Sequence[_Transformation]) -> list[str]:
    """Whether the cuts beside a reference can be trusted, as far as `regrade cut` says it too."""
    how = "held_out: [topics], bootstrap: [topics], unlabelled: false, budget: []"
    lines = [f"      - {{transformation: {cut.name}, {how}}}" for cut in cuts if cut.references]
    if not lines:
        return []
    head = "    # and can that be trusted, on topics that did not choose the cut?"
    return [head, "    trust:", *lines]


def _of_judgments(found: _Found, ranked: str, runs: Runs) -> Iterator[str]:
    """What ties, unjudged documents and the pool do to the ranking by some grades."""
    labels, name = found.sets[ranked], _written(ranked)
    measures = default_measures(labels.scale, of=COMPARED_MEASURES)
    if not measures:
        return
    listed = _written(measures)
    yield "    # does it matter how ties are broken? what could unjudged documents change?"
    yield f"    ties: {{qrels: {name}, ranges: {listed}}}"
    yield f"    ranges: {{qrels: {name}, measures: {listed}}}"
    judged = {ranked: Judged.from_table(labels.table, runs.ranked)}
    try:
        pools, note = _pools(audit_judged(runs.ranked, judged))
        if len(judged[ranked].topics) < _FEWEST:
            raise MethodError("less than two topics")
    except RegradeError as error:
        yield f"    # pools of {ranked}: {error}"
        return
    yield f"    # how deep need the pool be? can new systems be evaluated with it? {ranked} judges"
    yield f"    # {note}; `contributors: all` compares all"
    with_residual = _written([*measures, RESIDUAL])
    yield f"    pools: {{qrels: {name}, measures: {with_residual}{pools}}}"
    yield "    leave_one_out:"
    yield f"      - {{name: runs, by: run, measures: {listed}}}"
    if found.groups is not None:
        yield f"      - {{name: groups, by: group, measures: {listed}}}"
        if found.origins is not None:
            yield f"      - {{name: origins, by: origins, measures: {listed}}}"


def _pools(audit: pa.Table) -> tuple[str, str]:
    """How deep pools are beyond what they are by default, and how many systems make them."""
    systems, given = deeply_judged(audit), ""
    try:
        deepest = judged_depth(systems)
    except ParameterError:
        deepest = _deepest_of_some(audit)
        given = f", baseline: {deepest}"
    deep = int(deeply_judged(audit, deepest)["deeply_judged"].sum())
    if deep < _FEWEST:
        raise MethodError("less than two systems are judged deeply for all topics")
    return given, f"{deep} of {len(systems)} systems to rank {deepest} or deeper for every topic"


def _deepest_of_some(audit: pa.Table) -> int:
    """The deepest pool that an eighth of the systems, two at least, make where half make none."""
    wanted = max(_FEWEST, len(deeply_judged(audit)) // 8)
    depths = range(DEEPEST, 1, -1)
    served = (d for d in depths if deeply_judged(audit, d)["deeply_judged"].sum() >= wanted)
    found = next(served, None)
    if found is None:
        raise MethodError(f"less than {wanted} systems are judged to rank 2 for every topic")
    return found


LEFT_OUT = {
    "which system is best? ties, unjudged documents, pools": "TREC runs, two or more, and qrels",
    "can new groups' systems be evaluated?": "a file of groups: run-tag group",
    "would other labels have changed it? which judge is best?": "other labels on the same levels",
    "where to cut? are the workers any good?": "values on a finer scale, or judgments by workers",
    "what would full judging have said?": "`regrade assign`'s file, filled in; a model's labels",
    "what order do pairs give?": "preferences: topic, two documents, the winner",
    "what are magnitudes worth as gains?": "labels, and judgments above 0 in units, on no levels",
}
"""What may not be asked of some files → what would bring it."""


def _left_out(found: _Found, lines: Sequence[str]) -> Iterator[str]:
    """What was not asked, and which file would bring it."""
    keys = "ranking", "groups", "compare", "transformations", "estimates", "pairs", "magnitudes"
    asked = {line.partition(":")[0].strip() for line in lines if line.startswith("    ")}
    asked |= {"groups"} if found.groups is not None else set()
    asked |= {"compare"} if "judges" in asked else set()
    asked |= {"transformations"} if found.of("judgments") else set()
    missing = [ask for key, ask in zip(keys, LEFT_OUT.items(), strict=True) if key not in asked]
    if missing:
        yield "    # not asked; what would bring it:"
    yield from (f"    # - {question} ({file})" for question, file in missing)


def _written(value: object) -> str:
    """A value as YAML has it, on one line."""
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)}: {_written(one)}" for key, one in value.items())
        return f"{{{inside}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, float):
        return exactly(value)
    return value if value in _PLAIN else json.dumps(value, ensure_ascii=False)


_PLAIN = (*NAMED_COLUMNS, "pair-winner", "winner-loser", "image-preferences", "drop")


def _key(name: str) -> str:
    return name if name.isidentifier() and name.lower() not in _TRUTHS else json.dumps(name)


_NUMBER = re.compile(r"[\d.+-]*(e[\d.+-]+)?|0[xo][\da-f]+", re.IGNORECASE)
"""Numbers and dates: 2019, 12.5, 1.0e+5, 0x1f, 2019-05-01."""

_TRUTHS = ("yes", "no", "on", "off", "true", "false", "null")
