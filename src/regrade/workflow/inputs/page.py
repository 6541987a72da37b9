"""What the page shows: answers and the figures beneath them, tables and figures of studies."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from regrade.catalogue import tables_of
from regrade.stages.declare import Stage
from regrade.stages.registry import stages
from regrade.studies.items import Item
from regrade.workflow.inputs.cuts import CutInputs
from regrade.workflow.inputs.paths import Paths, Places
from regrade.workflow.inputs.sweeps import SweepInputs
from regrade.workflow.project import PROJECT
from regrade.workflow.stages import rests_on_runs, sets_of_item
from regrade.workflow.study_items import RequestedItem

PUBLISHED = PROJECT / "data" / "published"
CAPTIONS = PROJECT / "workflow" / "report"
MOST_SYSTEMS = 300
"""Of more systems the page has no pairs to compare, and says so: those of 300 take 1.6 MB of it."""

RANKED, COMPARED = ("systems", "pairs", "facts"), ("confusion", "grade_bias", "systems")
"""Tables of rankings and of comparisons from which the page draws pictures of its own."""

ANALYSED = ("facts", "scores", "retrieved", "ranks")
"""Tables of analyses of topics from which the page lists documents."""


class ItemRule(NamedTuple):
    """The rule of a table or figure of a study; functions of wildcards for Snakemake to call.

    Its study's name and itself, its number, from 1, of those that have other captions, the name of
    its caption's file, and collection → what it shows there.
    """

    study: str
    item: Item
    number: int
    caption_file: str
    of: dict[str, tuple[Page, RequestedItem]]

    @property
    def outputs(self) -> dict[str, str]:
        """What it makes, by ending."""
        _, requested = next(iter(self.of.values()))
        return {ending: Places().below(requested.path(ending)) for ending in self.item.endings}

    def inputs(self, wildcards) -> dict[str, list[str] | str]:
        """The tables that it shows, by input name, and the printed one."""
        page, requested = self.of[wildcards.collection]
        return page.inputs(requested)

    def tables(self, wildcards) -> list[tuple[str, str, list | None]]:
        """How the tables are read."""
        return self.of[wildcards.collection][1].tables

    def rows(self, wildcards) -> dict:
        """Which of their rows are shown."""
        return self.of[wildcards.collection][1].rows

    def settings(self, wildcards) -> dict:
        """What the function that makes it is told."""
        return self.of[wildcards.collection][1].settings

    def published(self, wildcards) -> bool | str | None:
        """Whose printed numbers stand beside it."""
        page, _ = self.of[wildcards.collection]
        return page.collection.published(self.study)

    def notes(self, wildcards) -> str:
        """What must be said of it."""
        return self.of[wildcards.collection][1].notes


def item_rules(pages: Mapping[str, Page], *, tables: bool) -> Iterator[ItemRule]:
    """The rules of all tables, or of all figures, of the studies of some collections.

    Those that have another caption than the first one get a rule with a number.
    """
    rules: dict[tuple[str, str], dict[str, ItemRule]] = {}
    for name, page in pages.items():
        for requested in page.tables if tables else page.figures:
            alike = rules.setdefault((requested.study.name, requested.item.name), {})
            number = len(alike) + 1
            new = ItemRule(requested.study.name, requested.item, number, requested.caption_file, {})
            alike.setdefault(requested.caption_file, new).of[name] = page, requested
    for alike in rules.values():
        yield from alike.values()


class PublishedTable(NamedTuple):
    """The tables of a study, of a page, beside what it printed; functions for Snakemake to call."""

    page: Page
    items: list[RequestedItem]

    def tables(self, wildcards) -> list[str]:
        """Their paths."""
        return [self.page.path(one, ".csv") for one in self.items]

    def decimals(self, wildcards) -> dict[str, tuple]:
        """With how many decimals each of them prints its numbers."""
        return {one.item.name: (one.item.decimals, one.item.decimals_of) for one in self.items}

    def notes(self, wildcards) -> str:
        """What must be said of them."""
        return " ".join(dict.fromkeys(one.notes for one in self.items if one.notes))


def published_tables(pages: Mapping[str, Page], study: str) -> dict[str, PublishedTable]:
    """Of those collections of which it is said how many of a study's numbers come out."""
    return {
        name: PublishedTable(page, page.beside[study])
        for name, page in pages.items()
        if study in page.beside
    }


class AnswerFigure(NamedTuple):
    """The figure beneath an answer: what it is told, the tables that it shows, its caption."""

    params: Mapping
    tables: list[str]
    caption: Path


class PageCard(NamedTuple):
    """What the page says to a question about an item (empty: a stage has one answer).

    Its name is also that of the figure beneath it; `explored` is the anchor of the explorer that
    shows it.
    """

    stage: type[Stage]
    item: str
    tables: Mapping[str, str]
    about: str
    explored: str = ""

    @property
    def name(self) -> str:
        """Of the card and its figure."""
        return "-".join(filter(None, [self.stage.card.question.replace("_", "-"), self.item]))

    @property
    def answer(self) -> str:
        """The path of the answer's table."""
        return self.tables["answer"]


def answer_figure(places: Places, name: str, ending: str = ".svg") -> str:
    """The path of the figure beneath an answer."""
    return places.below("figures", "answers", f"{name}{ending}")


def drawn_alike(pages: Mapping[str, Page]) -> list[tuple[tuple, list[str]]]:
    """Names and captions of the figures beneath answers, and the collections that have these."""
    figures: dict[tuple, list[str]] = {}
    for collection, page in pages.items():
        drawn = tuple((name, one.caption.name) for name, one in page.answer_figures.items())
        if drawn:
            figures.setdefault(drawn, []).append(collection)
    return list(figures.items())


def published_table(study: str, ending: str) -> tuple[str, ...]:
    """Where the table lies that says how many of a study's printed numbers come out."""
    return "tables", study, f"table-published{ending}"


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
        answers = [f"answer {one.name}" for one in self.cards if not self._answered(one)]
        items = [
            f"{labels[2]}: {labels[1]}" for labels, path, _ in self._items() if not self.made(path)
        ]
        explorers = {**self._explorers(), **self._sweep_explorers()}
        by_hand = [f"explorer of {name}" for name, path in explorers.items() if not self.made(path)]
        return answers + by_hand + items

    # what the job that renders it reads and is told: the user's words may have braces, so these are
    # for Snakemake to call
    def inputs_of_report(self, wildcards) -> dict[str, str | list[str]]:
        """What the page is made of."""
        answered, drawn = list(self.answers()), self._drawn
        return {
            "answers": [card.answer for card in answered],
            "answer_figures": [self.answer_figure(name) for name in drawn],
            "answer_captions": [self._caption(self.answer_figures[n].caption) for n in drawn],
            "exhibits": [path for _, path, _ in self.items()],
            "also": [
                path
                for name in self.collection.studies
                for path in self.of_study(name)
                if self.made(path)
            ],
            "captions": [self._caption(caption) for _, _, caption in self.items()],
            "explorers": list(self.explorers.values()),
            "sweep_explorers": list(self.sweep_explorers.values()),
            "rankings": [path for _, paths in self._rankings for path in paths],
            "analysed": [path for card in self._analysed for path in self._of(card, ANALYSED)],
            "compared": [path for card in self._compared for path in self._of(card, COMPARED)],
        }

    @staticmethod
    def _of(card: PageCard, names: Iterable[str]) -> list[str]:
        """Tables of a card, as far as there are such."""
        return [card.tables[name] for name in names if name in card.tables]

    @property
    def _rankings(self) -> list[tuple[str, list[str]]]:
        """The name of each ranking that is shown, and its tables, scores last."""
        rankings = []
        for card in self.answers():
            if card.stage.key == "ranking":
                item = self.collection.items["ranking"][card.item]
                tables = [one for one in RANKED if one != "pairs" or self.has_pairs]
                qrels = item["qrels"]
                by_item = self.paths.item_scores
                scores = self.paths.scores(qrels) if qrels else by_item(item["scores"])
                paths = [*self._of(card, tables), scores]
                if self.made(*paths):
                    rankings.append((card.item, paths))
        return rankings

    @property
    def _compared(self) -> list[PageCard]:
        """The comparisons of systems under two sets whose tables are there."""
        return [
            card
            for card in self.answers()
            if card.stage.key == "compare"
            and "systems" in card.tables
            and self.made(*self._of(card, COMPARED))
        ]

    @property
    def has_pairs(self) -> bool:
        """Whether any two systems are compared on the page."""
        return self.collection.systems <= MOST_SYSTEMS

    @property
    def _analysed(self) -> list[PageCard]:
        """The analyses of topics whose tables are there."""
        return [
            card
            for card in self.answers()
            if card.stage.key == "topic_analysis"
            and "ranks" in card.tables  # none of scores by item
            and self.made(*self._of(card, ANALYSED))
        ]

    def ranked(self, wildcards) -> list[list]:
        """The names of the rankings and of their labels, and whether their pairs are read."""
        rankings = self.collection.items["ranking"]
        return [[name, rankings[name]["qrels"], self.has_pairs] for name, _ in self._rankings]

    def analysed(self, wildcards) -> list[str]:
        """The labels of each analysis of topics."""
        analyses = self.collection.items["topic_analysis"]
        return [analyses[card.item]["qrels"] for card in self._analysed]

    def compared(self, wildcards) -> list[list]:
        """Of each comparison its card, the names of both sets, and how many tables it shows."""
        pairs = self.collection.items["compare"]
        return [
            [card.name, *pairs[card.item]["pairs"][0], len([*self._of(card, COMPARED)])]
            for card in self._compared
        ]

    def labelled(self, wildcards) -> list[str]:
        """The sets, those that rank the systems first."""
        ranking = self.collection.items["ranking"] or {}
        qrels = [item["qrels"] for item in ranking.values() if item["qrels"]]
        return [*dict.fromkeys([*qrels, *self.collection.sets])]

    def _caption(self, path: Path) -> str:
        return self.collection.original(str(path))

    @property
    def _drawn(self) -> list[str]:
        return [card.name for card in self.answers() if card.name in self.answer_figures]

    def title(self, wildcards) -> str:
        """Its title."""
        return self.collection.options["title"] or self.collection.name

    def notes(self, wildcards) -> str:
        """What must be said of all of it."""
        return self.collection.notes

    def unmade_text(self, wildcards) -> list[str]:
        """What it lacks."""
        return self.lacking

    def explored(self, wildcards) -> list[str]:
        """The titles of the explorers of transformations."""
        return [self.explorer_title(self.cuts[name]) for name in self.explorers]

    def answered(self, wildcards) -> list[list]:
        """Of each card its name, subject, section and explorer, and whether it has a figure."""
        drawn = self._drawn
        return [
            [card.name, card.about, card.stage.card.section, card.explored, card.name in drawn]
            for card in self.answers()
        ]

    def sweeps(self, wildcards) -> list[str]:
        """The sweeps that have an explorer."""
        return list(self.sweep_explorers)

    def named(self, wildcards) -> list[list[str]]:
        """Anchor, title, study and section of all that studies show; of papers no section."""
        of = {key: stage.card.section for key, stage in stages().items() if stage.card}
        return [[*item, of.get(item[-1], "")] for item, _, _ in self.items()]

    # studies
    @property
    def tables(self) -> list[RequestedItem]:
        """All tables of studies."""
        return [
            requested for requested in self.collection.requested_items if requested.item.is_table
        ]

    @property
    def figures(self) -> list[RequestedItem]:
        """All figures of studies."""
        return [
            requested
            for requested in self.collection.requested_items
            if not requested.item.is_table
        ]

    def inputs(self, requested: RequestedItem) -> dict[str, list[str] | str]:
        """The tables that an item shows, by input name, and the printed one."""
        paths = {k: [self.paths.below(p) for p in paths] for k, paths in requested.inputs.items()}
        return paths | {"published": self.printed(requested)}

    def printed(self, requested: RequestedItem) -> str | list:
        """The file with what a study printed in a table; none where its data were others."""
        table = requested.item.name if requested.item.is_table else requested.item.printed
        path = PUBLISHED / f"{requested.study.name}-{table}.csv"
        is_drawn = self.collection.published(requested.study.name) and path.exists()
        return self.collection.original(str(path)) if is_drawn else []

    def path(self, requested: RequestedItem, ending: str) -> str:
        """The path of an item with an ending."""
        return self.paths.below(requested.path(ending))

    @cached_property
    def beside(self) -> dict[str, list[RequestedItem]]:
        """The tables of each study of which is said how many printed numbers come out."""
        comparable = {}
        for requested in self.tables:
            if requested.item.comparable and self.printed(requested):
                comparable.setdefault(requested.study.name, []).append(requested)
        return comparable

    def published(self, study: str, ending: str) -> str:
        """The path of the table that says it."""
        return self.paths.below(*published_table(study, ending))

    def of_study(self, name: str) -> list[str]:
        """Everything that a study's target makes."""
        items = [one for one in self.collection.requested_items if one.study.name == name]
        made = [self.path(one, ending) for one in items for ending in one.item.endings]
        beside = [self.published(name, e) for e in (".csv", ".md") if name in self.beside]
        return made + beside

    def items(self) -> Iterator[tuple[list[str], str, Path]]:
        """Everything that studies show, in order: anchor, title and study; file; caption."""
        return (item for item in self._items() if self.made(item[1]))

    def _items(self) -> Iterator[tuple[list[str], str, Path]]:
        for name in self.collection.studies:
            for requested in self.collection.requested_items:
                if requested.study.name == name:
                    path = self.path(requested, requested.item.endings[0])
                    caption = CAPTIONS / name / requested.caption_file
                    yield [f"{name}-{requested.item.name}", requested.heading, name], path, caption
            if name in self.beside:
                labels = [
                    f"{name}-table-published",
                    f"Published and reproduced numbers, {name}",
                    name,
                ]
                yield labels, self.published(name, ".md"), CAPTIONS / "table-published.rst"

    # answers
    @cached_property
    def cards(self) -> list[PageCard]:
        """Of each question and item a card, in order."""
        cards, collection = [], self.collection
        for stage in stages().values():
            if stage.card is None or not stage.is_requested(collection.options):
                continue
            items = collection.items[stage.key]
            for item in [""] if items is None else items:
                groups = (group.name for group in stage.tables)
                tables = self.paths.tables(*groups, of=item or None)
                if "answer" in tables:
                    about = stage.card.about(collection, item) if stage.card.about else item
                    explored = self._explored(stage, item)
                    cards.append(PageCard(stage, item, tables, about, explored))
        return cards

    def _explored(self, stage: type[Stage], item: str) -> str:
        """The anchor of the explorer that shows an item."""
        if stage.key == "sweeps":
            return f"sweep-{item}" if item in self.sweep_explorers else ""
        return item if stage.card.explored and item in self.explorers else ""

    @cached_property
    def answer_figures(self) -> dict[str, AnswerFigure]:
        """The figures beneath the answers, by name."""
        figures = {card.name: self._figure(card) for card in self.cards}
        return {name: one for name, one in figures.items() if one.tables and self.made(*one.tables)}

    def _figure(self, card: PageCard) -> AnswerFigure:
        shape = card.stage.card
        drawn = {name: card.tables[name] for name in shape.draws if name in card.tables}
        of_stage = [path for group in card.stage.tables for path in tables_of(group.name)]
        schemas = [path for name in drawn for path in of_stage if path.endswith(f"/{name}")]
        settings = shape.settings(self.collection, card.item) if shape.settings else {}
        sets = sets_of_item(card.stage, self.collection, card.item)
        params = {
            "name": card.name,
            "module": f"{card.stage.__module__.rpartition('.')[0]}.figures",
            "function": f"figure_{shape.figure or shape.question}",
            "schemas": schemas,
            "settings": {"limit": shape.first} if shape.first else settings,
            "measures": self.collection.measure_names(
                card.stage, self.collection.options_of(card.stage.key, card.item)
            ),
            "notes": self.collection.notes_on(*sets, runs=rests_on_runs(schemas)),
        }
        caption = shape.caption or shape.question
        if callable(caption):
            caption = caption(self.collection, card.item)
        return AnswerFigure(params, [*drawn.values()], CAPTIONS / "answers" / f"{caption}.rst")

    def answer_figure(self, name: str, ending: str = ".svg") -> str:
        """The path of the figure beneath an answer."""
        return answer_figure(self.paths, name, ending)

    def tables_of_answers(self, wildcards) -> list[str]:
        """The tables that all of them show."""
        return [path for drawn in self.answer_figures.values() for path in drawn.tables]

    def figures_of_answers(self, wildcards) -> list[Mapping]:
        """What each of them is told."""
        return [drawn.params for drawn in self.answer_figures.values()]

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
        return {n: SweepInputs(self.paths, n).explorer for n in self.collection.items["sweeps"]}

    def answers(self) -> Iterator[PageCard]:
        """What the page begins with, in order."""
        return filter(self._answered, self.cards)

    def _answered(self, card: PageCard) -> bool:
        return self.made(card.answer)

    @staticmethod
    def explorer_title(cuts: CutInputs) -> str:
        """What the page calls the explorer of a transformation."""
        return f"{cuts.name}: {cuts.source} into {cuts.levels} levels"
