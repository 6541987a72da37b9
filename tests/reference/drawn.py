"""Judgments drawn anew, written down as the rows of a file: each copy has a name of its own."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa


def file_of_units(judgments: pa.Table, times: dict) -> pa.Table:
    """The rows of units, (topic, worker, unit) → how often; the n-th copies have one worker."""
    return _copied(judgments, times, ["topic", "worker", "unit"], ["worker", "unit"])


def file_of_workers(judgments: pa.Table, times: dict) -> pa.Table:
    """The rows of workers, worker → how often."""
    return _copied(judgments, {(name,): n for name, n in times.items()}, ["worker"], ["worker"])


def file_of_documents(table: pa.Table, times: dict) -> pa.Table:
    """The rows of documents, (topic, docno) → how often; also of a table of labels."""
    return _copied(table, times, ["topic", "docno"], ["docno"])


def file_of_topics(table: pa.Table, times: dict) -> pa.Table:
    """The rows of topics, topic → how often."""
    return _copied(table, {(name,): n for name, n in times.items()}, ["topic"], ["topic"])


def _copied(table, times, keys, renamed):
    rows = [
        row | {key: f"{row[key]}~{copy}" for key in renamed}
        for row in table.to_pylist()
        for copy in range(times.get(tuple(row[key] for key in keys), 0))
    ]
    frame = pd.DataFrame(rows, columns=table.column_names)
    return pa.Table.from_pandas(frame, preserve_index=False)
