"""One page with everything, for people who do not have Snakemake."""

from pathlib import Path

from regrade.audit.unwanted import rows_unwanted
from regrade.show.report import CHOICES_BY_HAND, CUT_BY_HAND, Card, ReportItem, render
from regrade.tables import atomic_path, read_table
from regrade.workflow.job import job

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    items = []
    for (name, title, group), path, caption in zip(
        params.named, given.shown, given.captions, strict=True
    ):
        items.append(ReportItem.read(name, path, caption, title=title, group=group))
    items.append(ReportItem.read("audit", given.audit, title="What was read"))
    drawn = zip(given.answer_figures, given.answer_captions, strict=True)
    listed = iter(given.listed)
    cards = [
        Card.read(
            name,
            about,
            path,
            *(next(drawn) if has_figure else ()),
            explored=explored,
            listed=next(listed) if has_list else None,
            invites=CHOICES_BY_HAND if name.startswith("sweep-") else CUT_BY_HAND,
        )
        for (name, about, explored, has_figure, has_list), path in zip(
            params.answered, given.answers, strict=True
        )
    ]
    warned = read_table(given.warnings, "audit/warnings").to_pylist()
    page = render(
        params.title,
        params.notes,
        items,
        given.template,
        {
            title: Path(path).read_text(encoding="utf-8")
            for title, path in zip(params.explored, given.explorers, strict=True)
        },
        cards,
        [(row["source"], row["said"]) for row in warned],
        {
            name: Path(path).read_text(encoding="utf-8")
            for name, path in zip(params.sweeps, given.sweep_explorers, strict=True)
        },
        rows_unwanted(read_table(given.summary, "audit/summary")),
        params.lacking,
        params.failed,
    )
    with atomic_path(snakemake.output[0]) as temporary:
        temporary.write_text(page, encoding="utf-8")
