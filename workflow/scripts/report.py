"""One page with everything, for people who do not have Snakemake."""

from itertools import islice

from regrade.audit.overview import tiles
from regrade.audit.unwanted import rows_unwanted
from regrade.evaluations.page_figures import pictures
from regrade.ranking.explorer_page import RankingTables, packed_rankings
from regrade.show.report import DATA, STUDIES, Card, ReportItem, render, text_of
from regrade.tables import atomic_path, read_table
from regrade.topic_analysis.page_documents import AnalysedTopics, packed_documents
from regrade.workflow.job import job


def frames(paths):
    """Tables as pandas has them, one after the other."""
    return (read_table(path).to_pandas() for path in paths)


def texts(names, paths):
    """The texts of files by name."""
    return dict(zip(names, map(text_of, paths), strict=True))


with job(snakemake):
    inputs, params = snakemake.input, snakemake.params
    exhibits = zip(params.named, inputs.exhibits, inputs.captions, strict=True)
    items = [
        ReportItem.read(name, path, caption, title=title, group=group, section=section or STUDIES)
        for (name, title, group, section), path, caption in exhibits
    ]
    summary = read_table(inputs.summary, "audit/summary")
    if len(summary):  # a question about other collections has no runs and sets
        items.append(ReportItem.read("audit", inputs.audit, title="Runs and sets", section=DATA))
    compared, ranked, analysed = map(frames, (inputs.compared, inputs.rankings, inputs.analysed))
    of_pairs = {
        card: pictures(card, first, second, *islice(compared, tables))
        for card, first, second, tables in params.compared
    }
    answered = zip(params.answered, inputs.answers, strict=True)
    drawn = zip(inputs.answer_figures, inputs.answer_captions, strict=True)
    cards = [
        Card.read(name, about, path, *(next(drawn) if has_figure else ()),
                  section=section, explored=explored, pictures=of_pairs.get(name, ()))
        for (name, about, section, explored, has_figure), path in answered
    ]  # fmt: skip
    rankings = [RankingTables.take(ranked, *one) for one in params.ranked]
    topics = [AnalysedTopics(qrels, *islice(analysed, 4)) for qrels in params.analysed]
    page = render(
        params.title, params.notes, items, inputs.template,
        texts(params.explored, inputs.explorers), cards,
        texts(params.sweeps, inputs.sweep_explorers),
        warnings=[(row["source"], row["said"]) for row in read_table(inputs.warnings).to_pylist()],
        unwanted=rows_unwanted(summary),
        lacking=params.lacking, failed=params.failed,
        tiles=tiles(*frames([inputs.summary, inputs.values]), params.labelled),
        rankings=packed_rankings(rankings, params.analysed), documents=packed_documents(topics),
    )  # fmt: skip
    with atomic_path(snakemake.output[0]) as temporary:
        temporary.write_text(page, encoding="utf-8")
