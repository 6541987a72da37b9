"""One page with everything, for people who do not have Snakemake."""

from itertools import islice

from regrade.audit.overview import tiles
from regrade.audit.unwanted import rows_unwanted
from regrade.evaluations.page_figures import pictures
from regrade.ranking.explorer_page import RankingTables, packed_rankings
from regrade.show.report import DATA, STUDIES, Card, ReportItem, render, text_of
from regrade.tables import atomic_path, read_table
from regrade.workflow.job import job


def frames(paths):
    """Tables as pandas has them."""
    return [read_table(path).to_pandas() for path in paths]


def texts(names, paths):
    """The texts of files by name."""
    return dict(zip(names, map(text_of, paths), strict=True))


with job(snakemake):
    given, params = snakemake.input, snakemake.params
    shown = zip(params.named, given.shown, given.captions, strict=True)
    items = [
        ReportItem.read(name, path, caption, title=title, group=group, section=section or STUDIES)
        for (name, title, group, section), path, caption in shown
    ]
    items.append(ReportItem.read("audit", given.audit, title="Runs and sets", section=DATA))
    compared, ranked = iter(frames(given.compared)), iter(frames(given.rankings))
    of_pairs = {
        card: pictures(card, first, second, *islice(compared, tables))
        for card, first, second, tables in params.compared
    }
    answered = zip(params.answered, given.answers, strict=True)
    drawn = zip(given.answer_figures, given.answer_captions, strict=True)
    cards = [
        Card.read(name, about, path, *(next(drawn) if has_figure else ()),
                  section=section, explored=explored, pictures=of_pairs.get(name, ()))
        for (name, about, section, explored, has_figure), path in answered
    ]  # fmt: skip
    page = render(
        params.title,
        params.notes,
        items,
        given.template,
        texts(params.explored, given.explorers),
        cards,
        [(row["source"], row["said"]) for row in read_table(given.warnings).to_pylist()],
        texts(params.sweeps, given.sweep_explorers),
        rows_unwanted(read_table(given.summary, "audit/summary")),
        params.lacking,
        params.failed,
        tiles(*frames([given.summary, given.values]), params.labelled),
        packed_rankings([RankingTables(name, *islice(ranked, 4)) for name in params.ranked]),
    )
    with atomic_path(snakemake.output[0]) as temporary:
        temporary.write_text(page, encoding="utf-8")
