"""The HTML report."""

from pathlib import Path

from job import job

from regrade.show.report import Item, render
from regrade.tables import atomic_path

with job(snakemake):
    items = [
        Item.read(name, path, caption)
        for name, path, caption in zip(
            snakemake.params.names, snakemake.input.shown, snakemake.input.captions, strict=True
        )
    ]
    page = render(
        snakemake.params.title,
        snakemake.params.notes,
        [Item.read("audit", snakemake.input.audit), *items],
        snakemake.input.template,
        {
            title: Path(path).read_text(encoding="utf-8")
            for title, path in zip(
                snakemake.params.explored, snakemake.input.explorers, strict=True
            )
        },
    )
    with atomic_path(snakemake.output[0]) as temporary:
        temporary.write_text(page, encoding="utf-8")
