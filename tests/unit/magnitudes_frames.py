"""Magnitudes for tests: judgments in units, what they make of documents, and labels."""

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.magnitudes.label_comparison import known_labels
from regrade.tables import write_table

LEVELS = {"So4": [0, 1, 2, 3], "TR2": [0, 1]}


def levelled(labels, reference):
    """The labels of a reference, on its levels."""
    return known_labels(labels, LEVELS, reference)


def judged(topics=3, documents=12, units=15, size=4, seed=1):
    """Schema ``magnitudes/normalised``: log-normal judgments around documents' own magnitudes."""
    rng = np.random.default_rng(seed)
    rows = []
    for topic in range(topics):
        centre = rng.normal(1, 0.8, documents)
        for unit in range(units):
            for place in rng.choice(documents, size, replace=False):
                value = np.exp(centre[place] + rng.normal(0, 0.5)) * (1 + unit)
                docno = f"D{place:02d}"
                rows.append((str(401 + topic), docno, f"w{unit % 7}", f"u{unit}", value))
    frame = pd.DataFrame(rows, columns=["topic", "docno", "worker", "unit", "value"])
    log = np.log(frame["value"])
    of_unit = log.groupby([frame["topic"], frame["unit"]]).transform("mean")
    of_topic = log.groupby(frame["topic"]).transform("mean")
    return frame.assign(normalised=np.exp(log - of_unit + of_topic))


def documents_from(magnitudes):
    """Schema ``magnitudes/documents`` of rows (topic, docno, magnitude)."""
    frame = pd.DataFrame(magnitudes, columns=["topic", "docno", "normalised_median"])
    for name in ("median", "geometric_mean", "normalised_geometric_mean"):
        frame[name] = frame["normalised_median"]
    return frame.assign(n=1)[columns_of("magnitudes/documents")]


def labels_of(rows):
    """Schema ``qrels`` of rows (topic, docno, grade)."""
    frame = pd.DataFrame(rows, columns=columns_of("qrels"))
    return pa.Table.from_pandas(frame, schema=SCHEMAS["qrels"], preserve_index=False)


def labelled_documents(documents, levels, share=0.8, noise=1.0, seed=2):
    """Labels of some of the documents that go with their magnitudes, more or less."""
    rng = np.random.default_rng(seed)
    some = documents[rng.random(len(documents)) < share]
    latent = np.log(some["normalised_median"]) + rng.normal(0, noise, len(some))
    cuts = np.quantile(latent, np.arange(1, len(levels)) / len(levels))
    place = np.searchsorted(cuts, latent)
    grades = np.asarray(levels, dtype=float)[place]
    return labels_of(list(zip(some["topic"], some["docno"], grades, strict=True)))


def fits(frame, schema, folder):
    """Whether a frame can be written with a schema, its columns in the schema's order."""
    write_table(frame, folder / "table.parquet", schema)
    return list(frame.columns) == columns_of(schema)


def rows_of(table, **values):
    """The rows with these values, in order."""
    for column, value in values.items():
        table = table[table[column] == value]
    return table
