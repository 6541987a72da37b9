"""A configuration for the files that a user has, found out by looking at them."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from glob import escape
from itertools import chain, combinations
from math import comb
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from regrade.answers.words import listed
from regrade.api.item_scores import is_score_file
from regrade.api.sets import Runs, read_runs
from regrade.audit.overlap import Overlap
from regrade.audit.rankings import audit_judged
from regrade.choices import COMPARED as COMPARED_MEASURES
from regrade.choices import GRID, SCORED
from regrade.command.as_yaml import called, written
from regrade.command.given_files import GivenSet, sets_of
from regrade.command.given_scores import (
    GivenScores,
    lines_of_judges,
    lines_of_scores,
    lines_of_sweep,
    ranked_scores,
    score_sets,
)
from regrade.errors import MethodError, ParameterError, RegradeError, check_braces
from regrade.estimation.estimates import FEWEST
from regrade.estimation.question import read_sample
from regrade.favours.families import families_of
from regrade.measures import default_measures, parse
from regrade.pools.options import DEEPEST
from regrade.pools.pooling import deeply_judged, judged_depth
from regrade.readers.groups import read_families, read_groups, read_pool_origins
from regrade.readers.sources import files_of, kind_of
from regrade.run_arrays import Judged
from regrade.scales import MAX_LEVELS
from regrade.sweeps.runs import LACKING
from regrade.wording import counted

log = logging.getLogger(__name__)

COMPARED = ("table-labels", "figure-confusion")
COMPARED_SYSTEMS = (
    *("table-rankings", "table-pairs", "table-movers", "table-reliability"),
    *("figure-systems", "figure-pairs"),
)
"""What is shown of two sets, and with runs."""

RANKED = (
    *("table-systems", "table-pairs", "table-reliability", "table-power"),
    *("figure-pairs", "figure-reliability", "figure-power"),
)
"""What is shown of a ranking."""

SWEPT_MEASURES = 3
"""How many measures a sweep tries."""

RESIDUAL = "RBP(p=0.98)"
"""The measure whose residual stands beside pools."""

MOST_JUDGES = 60
"""Workers are judges, each a set of its own, where they are at most so many."""

CALIBRATED = 3
"""Sets at most which are calibrated: some ten seconds each."""

LEFT_OUT = {
    "ranking": "which system is best? two systems, topics, ties, pools "
    "(TREC runs, two or more, and qrels)",
    "groups": "can new groups' systems be evaluated? (a file of groups: run-tag group)",
    "compare": "would other labels have changed it? which judge is best? "
    "(other labels on the same levels)",
    "transformations": "where to cut? are the workers any good? "
    "(values on a finer scale, or judgments by workers)",
    "estimates": "what would full judging have said? "
    "(`regrade assign`'s file, filled in; a model's labels)",
    "pairs": "what order do pairs give? (preferences: topic, two documents, the winner)",
    "magnitudes": "what are magnitudes worth as gains? "
    "(labels, and judgments above 0 in units, on no levels)",
    "scores": "which system is best, without rankings of documents? (scores of systems by item)",
}
"""By the key that asks it, what may not be asked of some files, and what would bring it."""

_FEWEST = 2
_JUDGED_LEVELS = range(_FEWEST, MAX_LEVELS + 1)
"""Of a reference beside which judges are held."""
_WIDTH = 93


def configuration(paths: Sequence[str], name: str) -> str:
    """A configuration in YAML, with comments that say what was assumed."""
    inputs, name = _Inputs(), called(name, ())
    files = files_of(paths)
    inputs.has_documents = any(_is_of_documents(file) for file in files)
    for file in files:
        try:
            inputs.take(file)
        except RegradeError as error:
            if len(files) == 1:
                raise
            remedy = f"Or continue without it: name only the other {len(files) - 1:,}"
            raise ParameterError(f"{error}\n{remedy}") from error
    if inputs.run_files:
        inputs.runs = read_runs([str(file) for file in inputs.run_files])
    elif not inputs.sets and not inputs.score_files:
        raise ParameterError("neither runs nor labels, judgments, preferences or scores: add some")
    inputs.scores = score_sets(inputs.score_files)
    stages = inputs.stages()
    lines = [
        "# Written by `regrade init` from what the files hold: look at every line.",
        "# Every key is described in config/README.md.",
        f"collection: {name}",
        "collections:",
        f"  {name}:",
    ]
    parts = inputs.lines_of_runs(), inputs.lines_of_sets(), inputs.measures(), stages
    scores = lines_of_scores(inputs.scores)
    parts = parts[0], parts[1], scores, *parts[2:]
    lines += [f"    {line}" for line in chain(*parts, inputs.left_out(stages))]
    # which of several files of grades is taken for people's, where the stages ask so
    if names := [name for name in inputs.sets if {*inputs.is_peoples(name)} & {*stages}]:
        log.warning(
            "%s: treated as the human reference, as the first of several sets named: if "
            "it is not, name the human labels first",
            " and ".join(names),
        )
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Transformation:
    """The cuts of a set into so many levels, beside sets that have these."""

    source: str
    levels: int
    references: tuple[str, ...]
    grid: str

    @property
    def name(self) -> str:
        """As a configuration refers to it."""
        return f"{self.source}-to-{self.levels}"


@dataclass
class _Inputs:
    """What was given, by kind; `panel` are those sets that are of one worker of another."""

    run_files: list[Path] = field(default_factory=list)
    runs: Runs | None = None
    groups: Path | None = None
    families: Path | None = None
    origins: Path | None = None
    samples: dict[str, tuple[Path, pa.Table]] = field(default_factory=dict)
    sets: dict[str, GivenSet] = field(default_factory=dict)
    panel: list[str] = field(default_factory=list)
    has_documents: bool = False
    score_files: list[Path] = field(default_factory=list)
    scores: dict[str, GivenScores] = field(default_factory=dict)

    def take(self, file: Path) -> None:
        """Look at a file, and read it if it is no run."""
        check_braces(str(file.resolve()))
        if not self.has_documents and is_score_file(file):
            self.score_files.append(file)
            return
        try:
            of = kind_of(file)
        except RegradeError:
            if not is_score_file(file):
                raise
            self.score_files.append(file)
            return
        if of.kind == "runs" and of.format is not None:
            raise ParameterError(
                f"{file}: looks like a run with named columns, but the workflow reads TREC "
                "runs: write a file for each system, with lines: topic Q0 docno rank "
                "score tag"
            )
        if of.kind == "runs":
            self.run_files.append(file)
        elif of.kind == "groups":
            read_groups(file)
            self.groups = file
        elif of.kind == "families":
            read_families(file)
            self.families = file
        elif of.kind == "origins":
            read_pool_origins(file)
            self.origins = file
        elif of.kind == "sample":
            name = called(file.name.partition(".")[0], self.samples)
            self.samples[name] = (file, read_sample(file).table)
        else:
            for one in sets_of(file, of.kind):
                self._add(one)
                self.panel += [self._add(judge) for judge in one.judges(MOST_JUDGES)]

    def _add(self, one: GivenSet) -> str:
        name = called(one.name, self.sets)
        self.sets[name] = replace(one, name=name)
        return name

    def of(self, *kinds: str) -> dict[str, GivenSet]:
        """The sets of some kinds, by name, but for those of the panel."""
        return {n: one for n, one in self.sets.items() if one.kind in kinds and n not in self.panel}

    @property
    def graded(self) -> dict[str, GivenSet]:
        """The labels that are grades, on few levels."""
        return {name: one for name, one in self.of("qrels").items() if one.is_coarse}

    @property
    def several_runs(self) -> bool:
        """Whether there are systems that can be compared."""
        return self.runs is not None and len(self.runs) >= _FEWEST

    def is_peoples(self, name: str) -> list[str]:
        """A comment that asks so of a reference, where other grades could be it."""
        question = "the first labels named that fit; are they people's? else name theirs"
        return [f"# {name}: {question}"] if len(self.graded) >= _FEWEST else []

    def _beside(self, reference: str, question: str, *lines: str) -> list[str]:
        """A question, whether its reference is people's, and what asks it."""
        return [f"# {question}", *self.is_peoples(reference), *lines]

    def lines_of_runs(self) -> list[str]:
        """Where the runs are, and who submitted them."""
        if self.runs is None:
            return [] if self.scores else ["# no runs were given: no systems are ranked"]
        patterns = [str(file.resolve()) for file in self.run_files]
        folders = {file.parent for file in self.run_files}
        if len(folders) == 1 and len(patterns) > 3:
            [folder] = folders
            if sorted(f for f in folder.iterdir() if f.is_file()) == sorted(self.run_files):
                patterns = [f"{escape(str(folder.resolve()))}/*"]
        lines = [
            f"# {counted(len(self.runs), 'system')}, {counted(len(self.runs.topics), 'topic')}",
            "runs:",
            *(f"  - {written(pattern)}" for pattern in patterns),
        ]
        files = {"groups": self.groups, "families": self.families, "pool_origins": self.origins}
        for key, file in files.items():
            if file is not None:
                lines.append(f"{key}: {written(str(file.resolve()))}")
        return lines

    def lines_of_sets(self) -> Iterator[str]:
        """Each set as it is read, and what was assumed of it."""
        for kind in ("qrels", "judgments", "preferences"):
            sets = {name: one for name, one in self.sets.items() if one.kind == kind}
            if sets:
                yield f"{kind}:"
            for name, one in sets.items():
                file = str(one.file.resolve())
                if name in self.panel:
                    yield f"  {name}: {written({'file': file, **one.options})}"
                    continue
                yield f"  # {one.summary}"
                if self.runs is not None and kind == "qrels":
                    ranked = self.runs.ranked.with_topics(one.topics)
                    judged = Judged.from_table(one.table, ranked)
                    overlap = Overlap.of(one.name, one.table["docno"], judged, ranked)
                    overlap.check()
                    yield f"  # {'; '.join([overlap.facts(), *overlap.warnings()])}"
                yield f"  {name}:"
                yield f"    file: {written(file)}"
                for key, value in one.options.items():
                    line, note = f"    {key}: {written(value)}", one.notes.get(key, "")
                    if len(line) + len(note) > _WIDTH:
                        yield f"    # {note}"
                        note = ""
                    yield f"{line} # {note}" if note else line

    def measures(self) -> list[str]:
        """The measures of the runs: those that are taken where none is named."""
        if self.runs is None:
            return []
        served = {name: default_measures(one.scale) for name, one in self.of("qrels").items()}
        measures = dict.fromkeys(measure for names in served.values() for measure in names)
        lines = []
        if any(parse(measure).relevant_from is not None for measure in measures):
            lines.append("# relevant is a grade from 1 on, as in trec_eval; AP(rel=2): from 2 on")
        for name in [name for name, names in served.items() if not names]:
            scale = self.sets[name].scale
            middle = f"{(scale.low + scale.high) / 2:.3g}"
            measures[f"AP(rel={middle})"] = None
            lines += [
                f"# {name} holds numbers below 0, which are no gains: relevant is what has",
                f"# {middle} or more, the middle of its scale: say from which on it is",
            ]
        return [*lines, f"measures: {written([*(measures or SCORED)])}"]

    def stages(self) -> list[str]:
        """What these files can be asked, and what the report shows of it."""
        cuts, lines, studies = self._transformations(), [], {}
        ranked = self._ranking()
        if ranked:
            studies["ranking"] = [f"{item}: {{ranking: {written(ranked)}}}" for item in RANKED]
        if cuts:
            lines += ["# where to cut fine scales", "transformations:"]
            lines += [
                f"  - {{source: {cut.source}, levels: {cut.levels}, references: "
                f"[{', '.join(cut.references)}]{cut.grid}}}"
                for cut in cuts
            ]
            # as far as `regrade cut` says it too
            how = "held_out: [topics], bootstrap: [topics], unlabelled: false, budget: []"
            if trusted := [cut.name for cut in cuts if cut.references]:
                lines.append("# and can that be trusted, on topics that did not choose the cut?")
                lines.append("trust:")
                lines += [f"  - {{transformation: {name}, {how}}}" for name in trusted]
            studies["han2019"] = ["table-2: {}"]
        reference = self._reference()
        judged = [] if reference is None else self._judges(reference)
        pairs, apart = self._pairs()
        if judged:  # one table of all, in place of a comparison of each two
            first = next(iter(self.of("qrels")))
            pairs = [pair for pair in pairs if first in pair][:1]
        lines += apart + judged
        if reference is not None:
            for ask in (self._favour, self._replace, self._panel, self._calibration):
                lines += ask(reference)
        if pairs:
            lines.append("# would the evaluation have come out differently under the other set?")
            listed = ", ".join(f"[{a}, {b}]" for a, b in pairs)
            lines.append(f"compare: {{pairs: [{listed}]}}")
            pair = f"{{pair: {pairs[0][0]}-and-{pairs[0][1]}}}"
            items = (*COMPARED, *COMPARED_SYSTEMS) if self.several_runs else COMPARED
            studies = {"compare": [f"{item}: {pair}" for item in items], **studies}
        lines += self._estimates()
        if preferred := list(self.of("preferences")):
            lines += ["# scores of documents from the preferences", "pairs:"]
            lines += [f"  - {{set: {name}, methods: [bradley-terry]}}" for name in preferred]
            lines += self._power(preferred)
        lines += self._magnitudes()
        if ranked:
            items = [f"{{qrels: {written(ranked)}}}", *ranked_scores(self.scores)]
            ranking = f"ranking: [{', '.join(items)}]"
            ranking_lines = self._beside(ranked, "which system is best, and how sure?", ranking)
            pair = next((pair for pair in pairs if ranked in pair), ())
            of_systems = self._of_two_and_topics(ranked, [one for one in pair if one != ranked])
            lines = [*ranking_lines, *of_systems, *self._of_judgments(ranked), *lines]
        elif items := [*ranked_scores(self.scores)]:
            lines = [
                "# which system is best, and how sure?",
                f"ranking: [{', '.join(items)}]",
                "# which items are hard, and which separate systems?",
                f"topic_analysis: [{', '.join(items)}]",
                *lines_of_judges(self.scores, has_labels=bool(judged or pairs)),
                *lines,
                *([] if self.graded else lines_of_sweep(self.scores, SWEPT_MEASURES)),
            ]
        lines += self._sweep(cuts)
        if self.runs is None and (swept := self._label_sweep(cuts)):
            lines += swept
            studies["sweeps"] = ["table-label-entries: {}"]
        if studies:
            lines += ["# what the report shows; config/README.md lists all", "studies:"]
        for study, items in studies.items():
            lines += [f"  {study}:", *(f"    {item}" for item in items)]
        return lines

    def _estimates(self) -> list[str]:
        """What full judging would have said, from labels of chosen documents and models' of all."""
        lines, items = [], []
        for name, (file, table) in self.samples.items():
            topics, docnos = (table[column].to_pylist() for column in ("topic", "docno"))
            chosen = set(zip(topics, docnos, strict=True))
            grades = pc.drop_null(table["grade"]).to_numpy()
            models = [
                written(one.name)
                for one in self.of("qrels").values()
                if {key for key in one.documents if key[0] in {*topics}} <= chosen
            ]
            if not models or len(grades) < FEWEST:
                lines += [
                    f"# {file.name} needs labels by a model of no other documents than it",
                    f"# lists, and {FEWEST} human labels; it has {len(grades)}",
                ]
                continue
            levels = max(2, int(grades.max()) + 1)
            of_file = f"file: {written(str(file.resolve()))}, levels: {levels}"
            items.append(f"  - {{name: {name}, models: [{', '.join(models)}], {of_file}}}")
        if items:
            question = "what would full judging have said? people label on so many levels, from 0"
            lines += [f"# {question}", "estimates:"]
        return [*lines, *items]

    def _power(self, preferred: Sequence[str]) -> Iterator[str]:
        """How well the grades discriminate between documents of different human preference."""
        topics = set.intersection(*(self.sets[name].topics for name in preferred))
        graded = {name: one.topics for name, one in self.graded.items() if one.topics & topics}
        if graded and set.intersection(*graded.values()) & topics:
            yield "# how well do labels discriminate between documents that people prefer?"
            sets, beside = written(list(graded)), written(preferred)
            yield f"power: [{{sets: {sets}, preferences: {beside}, modes: [aggregate]}}]"

    def _magnitudes(self) -> Iterator[str]:
        """What judgments are worth as gains that may be magnitudes: above 0, in units."""
        for name, one in self.of("judgments").items():
            beside = [n for n, labels in self.graded.items() if labels.documents & one.documents]
            in_units = not one.table["unit"].null_count
            if beside and in_units and not one.scale.finite and one.scale.low > 0:
                yield "# if only ratios within a unit count: what are these worth as gains?"
                references = written(beside[:1])
                yield f"magnitudes: [{{set: {written(name)}, references: {references}}}]"
                return

    def _ranking(self) -> str | None:
        """The set that ranks the systems: the first of grades that judges two topics of theirs."""
        if not self.several_runs:
            return None
        shared = {n: one.topics.intersection(self.runs.topics) for n, one in self.graded.items()}
        return next((name for name, topics in shared.items() if len(topics) >= _FEWEST), None)

    def _sweep(self, cuts: Sequence[_Transformation]) -> list[str]:
        """Every combination of the choices that these files leave, beside the first grades."""
        if not self.several_runs or not self.graded:
            return []
        first, people = next(iter(self.graded.items()))
        topics = people.topics
        entries = [(name, written(name)) for name in self.graded]
        for cut in cuts:
            if cut.levels == people.levels:
                rules = "best, equal_widths" if cut.references else "equal_widths"
                entries.append((cut.source, f"{{cuts: {cut.name}, which: [{rules}]}}"))
        few = [
            name
            for name, _ in entries
            if len(topics - self.sets[name].topics) > LACKING * len(topics)
        ]
        labels = [text for name, text in entries if name not in few]
        measures = default_measures(people.scale) or SCORED
        return self._beside(
            first,
            "every combination of these choices, and which of them decides",
            *([f"# not {listed(few)}: too few of the topics"] if few else []),
            *_swept(
                "choices",
                f"{{labels: {written(first)}}}",
                labels=f"[{', '.join(labels)}]",
                unjudged="[non-relevant, condensed]",
                pool="[all, depth-10]",
                ties="[rank, docno]",
                measure=written(measures[:SWEPT_MEASURES]),
                test="[t/none, t/holm]",
            ),
        )

    def _label_sweep(self, transformations: Sequence[_Transformation]) -> list[str]:
        """Every way to make labels of what is finer than the first grades, beside these."""
        if not self.graded:
            return []
        first, people = next(iter(self.graded.items()))
        cuts = [
            cut.name
            for cut in transformations
            if cut.references
            and cut.levels == people.levels
            and self.sets[cut.source].documents & people.documents
        ]
        if not cuts:
            return []
        # a baseline that comes first is never another's double
        labels = ", ".join(f"{{cuts: {cut}, which: [equal_widths, best, rounded]}}" for cut in cuts)
        return self._beside(
            first,
            "every way to label, and how much each agrees with the grades",
            *_swept(
                "ways",
                f"{{labels: {cuts[0]} equal_widths, reference: {written(first)}}}",
                labels=f"[{labels}]",
                metric="[ordinal, nominal]",
                **({"topics": "[all, halves-20]"} if len(people.topics) >= 4 else {}),
            ),
        )

    def _pairs(self) -> tuple[list[tuple[str, str]], list[str]]:
        """The sets of grades that can be compared, and why others of the same levels cannot."""
        pairs, apart = [], []
        for (a, first), (b, second) in combinations(self.graded.items(), 2):
            if first.scale != second.scale:
                continue
            topics = first.topics & second.topics
            if not first.documents & second.documents:
                apart.append(f"# {a} and {b} judge no document both: they are not compared")
            elif self.runs is not None and topics.isdisjoint(self.runs.topics):
                apart.append(f"# no run has a topic of both {a} and {b}: they are not compared")
            else:
                pairs.append((a, b))
        return pairs, apart

    def _reference(self) -> str | None:
        """The first grades on levels beside which judges are held."""
        graded = self.of("qrels").items()
        return next((name for name, one in graded if one.levels in _JUDGED_LEVELS), None)

    def _others(self, reference: str) -> dict[str, GivenSet]:
        """Judges of documents of the first grades: other labels, and workers."""
        people = self.sets[reference]
        others = {**self.of("qrels"), **{name: self.sets[name] for name in self.panel}}
        return {
            name: one
            for name, one in others.items()
            if name != reference and one.documents & people.documents
        }

    def _judges(self, reference: str) -> list[str]:
        """Several sets beside the first grades."""
        people, others = self.sets[reference], self._others(reference)
        judges = [*others]
        if len(judges) < _FEWEST:
            return []
        grids = {name: GRID for name in judges if _has_many_cuts(others[name], people.levels)}
        grid = f", grid: {written(grids)}" if grids else ""
        of = f"reference: {written(reference)}, sets: {written(judges)}{grid}"
        question = "which judge is best, and what does each change?"
        return self._beside(reference, question, f"judges: [{{{of}}}]")

    def _favour(self, reference: str) -> list[str]:
        """Whether sets beside the first grades favour families of the runs."""
        if self.families is None or not self.several_runs:
            return []
        people, others = self.sets[reference], {**self.of("qrels")}
        judges = [
            name
            for name, one in others.items()
            if name != reference
            and one.documents & people.documents
            and 0 < one.scale.high < math.inf
        ]
        if not judges:
            return []
        try:
            families_of(self.families, self.runs.ranked.systems)
        except RegradeError as error:
            return [f"# {error}"]
        of = f"reference: {written(reference)}, sets: {written(judges)}"
        question = "does a judge favour a family of runs? `controls`: labels of further people"
        return self._beside(reference, question, f"favour: [{{{of}}}]")

    def _replace(self, reference: str) -> list[str]:
        """The first set of the scale of the first grades, in their place."""
        others, levels = self._others(reference), self.sets[reference].levels
        judge = next((name for name, one in others.items() if one.levels == levels), None)
        if judge is None:
            return []
        of = f"reference: {written(reference)}, judge: {written(judge)}"
        question = "can this judge replace people? `people`: labels of further people"
        return self._beside(reference, question, f"replace: [{{{of}}}]")

    def _panel(self, reference: str) -> list[str]:
        """Several sets with shared documents of the first grades, together."""
        others = self._others(reference)
        shared = [self.sets[reference].documents, *(one.documents for one in others.values())]
        if len(others) < _FEWEST or not set.intersection(*shared):
            return []
        of = f"reference: {written(reference)}, sets: {written([*others])}"
        question = "what is a panel of these judges worth?"
        return self._beside(reference, question, f"panel: [{{{of}}}]")

    def _calibration(self, reference: str) -> list[str]:
        """What values on a finer scale say of the first grades."""
        people = self.sets[reference]
        finer = [
            name
            for name, one in self.of("qrels", "judgments").items()
            if name != reference
            and not (one.is_coarse and one.scale.high <= people.scale.high)
            and len(one.topics & people.topics) >= _FEWEST
            and one.documents & people.documents
        ]
        if not finer:
            return []
        of = f"reference: {written(reference)}, sets: {written(finer[:CALIBRATED])}"
        question = "is a cut of the values enough, and what do they say of grades?"
        return self._beside(reference, question, f"calibration: [{{{of}}}]")

    def _transformations(self) -> list[_Transformation]:
        """Cuts of what is finer than some labels into as many levels as these have."""
        references: dict[int, list[GivenSet]] = {}
        for one in self.of("qrels").values():
            if one.levels in _JUDGED_LEVELS:
                references.setdefault(one.levels, []).append(one)
        made = []
        for name, source in self.of("qrels", "judgments").items():
            if source.kind == "qrels" and source.is_coarse:
                continue
            wanted = references or ({_FEWEST: []} if source.kind == "judgments" else {})
            for levels in sorted(wanted):
                if source.scale.levels is not None and source.scale.levels <= levels:
                    continue
                beside = [one.name for one in wanted[levels] if one.documents & source.documents]
                if beside or source.kind != "qrels":
                    grid = f", grid: {GRID}" if _has_many_cuts(source, levels) else ""
                    made.append(_Transformation(name, levels, tuple(beside), grid))
        return made

    def _of_two_and_topics(self, ranked: str, others: Sequence[str]) -> Iterator[str]:
        """Two runs topic by topic, and what each topic contributes, beside another set's labels."""
        first, second = sorted(self.runs.systems)[:2]
        qrels, between = written(ranked), written([first, second])
        yield "# do two systems differ significantly? name the two runs to compare"
        pair = {"qrels": ranked, "first": first, "second": second}
        yield f"system_pairs: [{written(pair)}]"
        yield "# which topics are hard, separate systems, or decide between two runs?"
        beside = "".join(f", second: {written(other)}" for other in others)
        yield f"topic_analysis: [{{qrels: {qrels}{beside}, between: {between}}}]"

    def _of_judgments(self, ranked: str) -> Iterator[str]:
        """What ties, unjudged documents and the pool do to the ranking by some grades."""
        labels, name, rankings = self.sets[ranked], written(ranked), self.runs.ranked
        measures = default_measures(labels.scale, of=COMPARED_MEASURES)
        if not measures:
            return
        listed = written(measures)
        yield "# does it matter how ties are broken? what could unjudged documents change?"
        yield f"ties: {{qrels: {name}, ranges: {listed}}}"
        yield f"ranges: {{qrels: {name}, measures: {listed}}}"
        judged = Judged.from_table(labels.table, rankings)
        try:
            baseline, note = _pools(audit_judged(rankings, {ranked: judged}))
            if len(judged.topics) < _FEWEST:
                raise MethodError("fewer than two topics")
        except RegradeError as error:
            yield f"# pools of {ranked}: {error}"
            return
        question = "how deep need the pool be? can new systems be evaluated with it?"
        yield f"# {question} {ranked} judges"
        yield f"# {note}; `contributors: all` compares all"
        with_residual = written([*measures, RESIDUAL])
        yield f"pools: {{qrels: {name}, measures: {with_residual}{baseline}}}"
        yield "leave_one_out:"
        by = {"runs": "run"}
        if self.groups is not None:
            by |= {"groups": "group"} | ({"origins": "origins"} if self.origins else {})
        for key, one in by.items():
            yield f"  - {{name: {key}, by: {one}, measures: {listed}}}"

    def left_out(self, lines: Sequence[str]) -> Iterator[str]:
        """What was not asked, and which file would bring it."""
        keys = {line.partition(":")[0].strip() for line in lines}
        keys |= {"groups"} if self.groups is not None else set()
        keys |= {"compare"} if "judges" in keys else set()
        keys |= {"transformations"} if self.of("judgments") else set()
        keys |= {"scores"} if self.scores else set()
        missing = [question for key, question in LEFT_OUT.items() if key not in keys]
        if missing:
            yield "# not asked; what would bring it:"
        yield from (f"# - {question}" for question in missing)


def _is_of_documents(file: Path) -> bool:
    """Whether a file is runs or labels, beside which others are judgments where they can be."""
    with suppress(RegradeError):
        return not is_score_file(file) and kind_of(file).kind in ("runs", "qrels")
    return False


def _pools(audit: pa.Table) -> tuple[str, str]:
    """How deep pools are beyond what they are by default, and how many systems make them."""
    systems, baseline = deeply_judged(audit), ""
    try:
        deepest = judged_depth(systems)
    except ParameterError:  # an eighth of the systems, two at least, where half make no pool
        wanted = max(_FEWEST, len(systems) // 8)
        depths = range(DEEPEST, 1, -1)
        served = (d for d in depths if deeply_judged(audit, d)["deeply_judged"].sum() >= wanted)
        deepest = next(served, None)
        if deepest is None:
            problem = f"fewer than {wanted} systems are judged to rank 2 for every topic"
            raise MethodError(problem) from None
        baseline = f", baseline: {deepest}"
    deep = int(deeply_judged(audit, deepest)["deeply_judged"].sum())
    if deep < _FEWEST:
        raise MethodError("fewer than two systems are judged deeply for all topics")
    return baseline, f"{deep} of {len(systems)} systems to rank {deepest} or deeper for every topic"


def _has_many_cuts(source: GivenSet, levels: int) -> bool:
    """Whether there are more cuts than of S100 into four levels: τ of all would take long."""
    if source.scale.finite:
        return False
    return comb(len(pc.unique(source.values)) - 1, levels - 1) > comb(GRID, MAX_LEVELS - 1)


def _swept(name: str, baseline: str, **axes: str) -> list[str]:
    head = ["sweeps:", f"  {name}:", f"    baseline: {baseline}", "    axes:"]
    return [*head, *(f"      {axis}: {levels}" for axis, levels in axes.items())]
