"""What the page shows: answers and the figures beneath them, tables and figures of studies."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from regrade.workflow.inputs import given
from regrade.workflow.inputs.cuts import CutInputs
from regrade.workflow.inputs.paths import Paths
from regrade.workflow.inputs.sweeps import LabelSweepInputs, SweepInputs
from regrade.workflow.project import PROJECT
from regrade.workflow.stages import STAGES, rests_on_runs
from regrade.workflow.study_items import RequestedItem

PUBLISHED = PROJECT / "data" / "published"
CAPTIONS = PROJECT / "workflow" / "report"

RANKED = 25
"""Systems in the figure beneath the answer."""


class AnswerFigure(NamedTuple):
    """The figure beneath an answer: what it is told, the tables that it shows, its caption."""

    told: Mapping
    tables: list[str]
    caption: Path


class Question(NamedTuple):
    """A question that a stage answers.

    `question` is the module in `regrade.answers`; `about` says of what it is asked (an item of the
    stage's key, and empty where there is one only); `folder` and `tables` are those of the stage.
    """

    question: str
    about: str
    folder: str
    tables: Mapping[str, str]

    @property
    def name(self) -> str:
        """Of its card and figure."""
        return "-".join(filter(None, [self.question.replace("_", "-"), self.about]))


QUESTIONS = {
    "ties": "ties",
    "unjudged": "ranges",
    "leave_one_out": "leave_one_out",
    "pool": "pools",
    "judges": "judges",
    "calibration": "calibration",
    "workers": "workers",
    "pairs": "pairs",
    "pdp": "power",
    "magnitudes": "magnitudes_answer",
    "estimate": "estimates",
}
"""Question → the stage that answers it."""

OF_SYSTEMS = {"estimate": "estimated_systems"}
"""Question → a further stage that makes tables of it where there are runs."""

FIRST = ("ties", "unjudged", "leave_one_out", "pool")
"""Questions that come before those about other labels."""

DRAWN_OF = {
    "ties": "ranks",
    "unjudged": "ranks",
    "leave_one_out": "systems",
    "pool": "depths",
    "judges": "ranked",
    "calibration": "maps",
    "workers": "workers",
    "pairs": "circles",
    "pdp": "ranked",
    "magnitudes": "numbers",
    "estimate": "labels systems pairs",
}
"""Question → the tables that its figure shows, of those that there are."""

SHORTENED = ("ties", "unjudged", "estimate")
"""Questions whose figure shows the first systems only."""


class Asked(NamedTuple):
    """A question that the page answers.

    Its name is also that of the figure beneath it; `about` says of what it is asked, `answer` is
    the table's path, `explored` the anchor of the explorer that shows it, `listed` the path of a
    table that is shown as it is.
    """

    name: str
    about: str
    answer: str
    explored: str = ""
    listed: str = ""


class Page:
    """What there is to show of a collection, and where it lies.

    `unmade` are files that could not be made, as a job failed: the page is then of the others.
    """

    def __init__(
        self, paths: Paths, cuts: Mapping[str, CutInputs], unmade: Collection[str] = frozenset()
    ):
        self.paths = paths
        self.collection = paths.collection
        self.cuts = cuts
        self.unmade = frozenset(unmade)

    def made(self, *paths: str) -> bool:
        """Whether there are all of some files."""
        return self.unmade.isdisjoint(paths)

    @property
    def lacking(self) -> list[str]:
        """What the page lacks of what the collection asks for, in its order, in words."""
        answers = [f"answer {one.name}" for one in self._asked() if not self._answered(one)]
        items = [f"{told[2]}: {told[1]}" for told, path, _ in self._items() if not self.made(path)]
        explorers = {**self._explorers(), **self._sweep_explorers()}
        by_hand = [f"by hand: {name}" for name, path in explorers.items() if not self.made(path)]
        return answers + by_hand + items

    def title(self, wildcards) -> str:
        """Its title: the user's words may have braces, so it is for Snakemake to call."""
        return self.collection.options["title"] or self.collection.name

    # studies
    @property
    def tables(self) -> list[RequestedItem]:
        """All tables of studies."""
        return [shown for shown in self.collection.shown if shown.item.is_table]

    @property
    def figures(self) -> list[RequestedItem]:
        """All figures of studies."""
        return [shown for shown in self.collection.shown if not shown.item.is_table]

    def inputs(self, shown: RequestedItem) -> dict[str, list[str] | str]:
        """The tables that an item shows, by input name, and the printed one."""
        paths = {k: [self.paths.below(p) for p in paths] for k, paths in shown.inputs.items()}
        return paths | {"published": self.printed(shown)}

    def printed(self, shown: RequestedItem) -> str | list:
        """The file with what a study printed in a table; none where its data were others."""
        table = shown.item.name if shown.item.is_table else shown.item.printed
        path = PUBLISHED / f"{shown.study.name}-{table}.csv"
        is_shown = self.collection.published(shown.study.name) and path.exists()
        return self.collection.given(str(path)) if is_shown else []

    def path(self, shown: RequestedItem, ending: str) -> str:
        """The path of an item with an ending."""
        return self.paths.below(shown.path(ending))

    @cached_property
    def beside(self) -> dict[str, list[RequestedItem]]:
        """The tables of each study of which is said how many printed numbers come out."""
        found = {}
        for shown in self.tables:
            if shown.item.comparable and self.printed(shown):
                found.setdefault(shown.study.name, []).append(shown)
        return found

    def published(self, study: str, ending: str) -> str:
        """The path of the table that says it."""
        return self.paths.below("tables", study, f"table-published{ending}")

    def of_study(self, name: str) -> list[str]:
        """Everything that a study's target makes."""
        shown = [one for one in self.collection.shown if one.study.name == name]
        made = [self.path(one, ending) for one in shown for ending in one.item.endings]
        beside = [self.published(name, e) for e in (".csv", ".md") if name in self.beside]
        return made + beside

    def items(self) -> Iterator[tuple[list[str], str, Path]]:
        """Everything that studies show, in order: anchor, title and study; file; caption."""
        return (item for item in self._items() if self.made(item[1]))

    def _items(self) -> Iterator[tuple[list[str], str, Path]]:
        for name in self.collection.studies:
            for shown in self.collection.shown:
                if shown.study.name == name:
                    path = self.path(shown, shown.item.endings[0])
                    caption = CAPTIONS / name / shown.caption_file
                    yield [f"{name}-{shown.item.name}", shown.heading, name], path, caption
            if name in self.beside:
                told = [f"{name}-table-published", "Published beside ours", name]
                yield told, self.published(name, ".md"), CAPTIONS / "table-published.rst"

    # answers
    @cached_property
    def questions(self) -> list[Question]:
        """Those that stages answer beside their other tables, in order."""
        found = []
        for question, stage in QUESTIONS.items():
            if not STAGES[stage].asked(self.collection.options):
                continue
            items = STAGES[stage].items_of(self.collection)
            for about in [""] if items is None else items:
                if not self.collection.serves(STAGES[stage], about):
                    continue
                stages = filter(None, (stage, OF_SYSTEMS.get(question)))
                tables = self.paths.tables(*stages, of=about or None)
                folder = STAGES[stage].makes[0].partition("/")[0]
                found.append(Question(question, about, folder, tables))
        return found

    def _about(self, asked: Question) -> str:
        """The labels that a question is asked of, and what else it is about."""
        options = self.collection.options
        key = STAGES[QUESTIONS[asked.question]].key
        qrels = options["pools" if key == "leave_one_out" else key]["qrels"]
        return ", ".join(filter(None, [qrels, asked.about]))

    @cached_property
    def answer_figures(self) -> dict[str, AnswerFigure]:
        """The figures beneath the answers, by name."""
        of_cuts = {f"cut-{one.name}": self._figure_of_cut(one) for one in self.cuts.values()}
        compared = self.collection.compare if self.collection.has_runs else ()
        of_pairs = {f"compare-{name}": self._figure_of_pair(name) for name in compared}
        of_sweeps = {f"sweep-{n}": self._figure_of_sweep(n) for n in self.collection.sweeps}
        of_labels = {
            f"label-sweep-{n}": self._figure_of_labels(n) for n in self.collection.label_sweeps
        }
        asked = {one.name: self._figure_of_question(one) for one in self.questions}
        of_rankings = {f"ranking-{n}": self._figure_of_ranking(n) for n in self.collection.ranking}
        figures = of_rankings | asked | of_cuts | of_pairs | of_sweeps | of_labels
        return {name: one for name, one in figures.items() if self.made(*one.tables)}

    def _figure_of_question(self, asked: Question) -> AnswerFigure:
        drawn = DRAWN_OF[asked.question].split()
        shown = {table: asked.tables[table] for table in drawn if table in asked.tables}
        stage = STAGES[QUESTIONS[asked.question]]
        schemas = [f"{asked.folder}/{table}" for table in shown]
        told = {
            "name": asked.name,
            "function": f"figure_{asked.question}",
            "schemas": schemas,
            "settings": {"shown": RANKED} if asked.question in SHORTENED else {},
            "notes": self._notes(schemas, stage.sets(self.collection.options)),
        }
        return AnswerFigure(told, [*shown.values()], CAPTIONS / "answers" / f"{asked.question}.rst")

    def _figure_of_cut(self, cuts: CutInputs) -> AnswerFigure:
        caption = "cut-trusted" if cuts.name in self.collection.trust else "cut"
        settings = {"source": cuts.source, "measure": cuts.options["measure"]}
        tables = given(
            self.paths.tables("recommended_cuts", of=cuts.name),
            "recommended",
            "recommended_systems",
        )
        schemas = [f"cuts/{table}" for table in tables]
        told = {
            "name": f"cut-{cuts.name}",
            "function": "figure_cut",
            "schemas": schemas,
            "settings": settings,
            "notes": self._notes(schemas, cuts.transformation.sets),
        }
        return AnswerFigure(told, list(tables.values()), CAPTIONS / "answers" / f"{caption}.rst")

    def _figure_of_pair(self, name: str) -> AnswerFigure:
        first, second = self.collection.compare[name]["pairs"][0]
        told = {
            "name": f"compare-{name}",
            "function": "figure_pair",
            "schemas": ["compare/systems"],
            "settings": {"first": first, "second": second},
            "notes": self.collection.notes_on(first, second),
        }
        systems = self.paths.tables("compare_systems", of=name)["systems"]
        return AnswerFigure(told, [systems], CAPTIONS / "answers" / "pair.rst")

    def _figure_of_ranking(self, name: str) -> AnswerFigure:
        told = {
            "name": f"ranking-{name}",
            "function": "figure_ranking",
            "schemas": ["ranking/systems", "ranking/facts"],
            "settings": {"shown": RANKED},
            "notes": self.collection.notes_on(self.collection.ranking[name]["qrels"]),
        }
        tables = self.paths.tables("ranking", of=name)
        shown = [tables["systems"], tables["facts"]]
        return AnswerFigure(told, shown, CAPTIONS / "answers" / "ranking.rst")

    def _figure_of_sweep(self, name: str) -> AnswerFigure:
        tables = self.paths.tables("sweep_levels", "sweeps", of=name)
        return self._curve("sweep", tables, "otherwise", SweepInputs(self.paths, name))

    def _figure_of_labels(self, name: str) -> AnswerFigure:
        tables = self.paths.tables("label_sweeps", of=name)
        return self._curve("label-sweep", tables, "alpha", LabelSweepInputs(self.paths, name))

    def _curve(
        self, kind: str, tables: Mapping[str, str], outcome: str, sweep: LabelSweepInputs
    ) -> AnswerFigure:
        shown = given(tables, "curve", "curve_choices", "levels", "facts")
        schemas = [f"{kind}s/{table}" for table in shown]
        told = {
            "name": f"{kind}-{sweep.name}",
            "function": "figure_curve",
            "schemas": schemas,
            "settings": {"outcome": outcome},
            "notes": self._notes(schemas, sweep.sets),
        }
        return AnswerFigure(told, list(shown.values()), CAPTIONS / "answers" / f"{kind}.rst")

    def _notes(self, tables: Iterable[str], sets: Iterable[str]) -> str:
        """What must be said of a figure of some tables, which rest on these sets."""
        return self.collection.notes_on(*sets, runs=rests_on_runs(tables))

    def answer_figure(self, name: str, ending: str = ".svg") -> str:
        """The path of the figure beneath an answer."""
        return self.paths.below("figures", "answers", f"{name}{ending}")

    @cached_property
    def explorers(self) -> dict[str, str]:
        """The transformations whose cuts can be tried by hand, and their file."""
        return {name: path for name, path in self._explorers().items() if self.made(path)}

    def _explorers(self) -> dict[str, str]:
        return {cuts.name: cuts.path("explorer.json") for cuts in self.cuts.values()}

    @cached_property
    def sweep_explorers(self) -> dict[str, str]:
        """The sweeps whose choices can be tried by hand, and their file."""
        return {name: path for name, path in self._sweep_explorers().items() if self.made(path)}

    def _sweep_explorers(self) -> dict[str, str]:
        return {n: SweepInputs(self.paths, n).explorer for n in self.collection.sweeps}

    def answers(self) -> Iterator[Asked]:
        """What the page begins with, in order."""
        return filter(self._answered, self._asked())

    def _answered(self, asked: Asked) -> bool:
        return self.made(asked.answer, asked.listed)

    def _asked(self) -> Iterator[Asked]:
        for name in self.collection.ranking:
            yield Asked(f"ranking-{name}", name, self.paths.tables("ranking", of=name)["answer"])
        later = [one for one in self.questions if one.question not in FIRST]
        for asked in self.questions:
            if asked not in later:
                yield Asked(asked.name, self._about(asked), asked.tables["answer"])
        for cuts in self.cuts.values():
            answer = self.paths.tables("recommended_cuts", of=cuts.name)["answer"]
            explored = cuts.name if cuts.name in self.explorers else ""
            yield Asked(f"cut-{cuts.name}", cuts.name, answer, explored)
        for name in self.collection.compare:
            yield Asked(f"compare-{name}", "", self.paths.tables("compare", of=name)["answer"])
        for asked in later:
            listed = asked.tables.get("ranked", "")
            yield Asked(asked.name, asked.about, asked.tables["answer"], listed=listed)
        for name in self.collection.sweeps:
            answer = self.paths.tables("sweeps", of=name)["answer"]
            explored = f"sweep-{name}" if name in self.sweep_explorers else ""
            yield Asked(f"sweep-{name}", name, answer, explored)
        for name in self.collection.label_sweeps:
            answer = self.paths.tables("label_sweeps", of=name)["answer"]
            yield Asked(f"label-sweep-{name}", name, answer)

    @staticmethod
    def explorer_title(cuts: CutInputs) -> str:
        """What the page calls the explorer of a transformation."""
        return f"{cuts.name}: {cuts.source} cut into {cuts.levels} levels"
