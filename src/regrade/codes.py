"""Rankings and qrels as codes on disk: arrays by topic that a job maps into memory.

A file is Arrow IPC, uncompressed, with a record batch of one row per topic: opening it reads no
data, and what is read are the topics and columns that are asked for.  The same content gives the
same bytes; files are written atomically, with provenance, and checked when they are opened.

`CodedRuns` are the rankings of all systems, `CodedQrels` a qrels in their document codes.  Both go
by chunks of topics (`CodedRuns.chunks`), so that a stage's memory is bounded by the chunk.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade import __version__, provenance
from regrade.errors import InputError
from regrade.run_arrays import NO_DOCUMENT, Judged, RankedLists, TopicRankings, joined, offsets_of
from regrade.tables import atomic_path, encode, unlabelled

FORMAT = 1
"""Counted up whenever the files change in a way that an older reader would not notice."""

DOCUMENT_BYTES = 64
"""What a stage holds for each ranked document: codes, rows of the qrels, scores, and its own."""

CHUNK_BYTES = 512 << 20
"""How much a chunk of topics takes unless told: some 8 million ranked documents."""

_DIGEST = pa.binary(16)
_NOTHING = bytes(_DIGEST.byte_width)
"""The digest of a topic that no system ranks anything for."""


def _schema(**kinds: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in kinds.items()])


_RUNS = _schema(
    topic=pa.string(),
    digest=_DIGEST,  # what the codes mean: changes with any docno of the topic
    docnos=pa.list_(pa.string()),  # of the topic, sorted bytewise; a document's code is its place
    lengths=pa.list_(pa.int32()),  # of each system's ranking
    documents=pa.list_(pa.int32()),  # by system, then rank
    scores=pa.list_(pa.float64()),
    submitted_ranks=pa.list_(pa.int32()),
)
_QRELS = _schema(
    topic=pa.string(),
    digest=_DIGEST,
    documents=pa.list_(pa.int32()),  # ascending; -1 for judged documents that nobody retrieved
    grades=pa.list_(pa.float64()),
)


def write_runs(
    path: str | os.PathLike,
    systems: Sequence[str],
    topics: Iterable[tuple[str, TopicRankings]],
    parameters: Mapping[str, object] | None = None,
) -> None:
    """Write rankings, topic by topic."""
    arrays = _RUNS.names[2:]
    rows = (
        [topic, _digest(one.docnos), *(getattr(one, name) for name in arrays)]
        for topic, one in topics
    )
    _write(path, _RUNS, rows, parameters, systems=list(systems))


class CodedRuns:
    """The rankings of a collection, in a file that `write_runs` wrote.

    Parameters
    ----------
    path
        The file.

    Attributes
    ----------
    systems, topics
        S and T names, sorted.
    sizes
        How many documents are ranked for each topic.
    digests
        What the codes of each topic mean: equal where the retrieved documents are the same.
    longest
        The documents of the longest ranking.
    """

    def __init__(self, path: str | os.PathLike):
        """Open the file; nothing but names and sizes is read."""
        self._path = path
        batches, metadata = _open(path, _RUNS, "rankings")
        self.systems: tuple[str, ...] = tuple(metadata["systems"])
        self.topics: tuple[str, ...] = tuple(_only(b, "topic") for b in batches)
        self.sizes = {_only(b, "topic"): len(_values(b, "documents")) for b in batches}
        self.digests = {_only(b, "topic"): _only(b, "digest") for b in batches}
        self.longest = max((int(_numpy(b, "lengths").max(initial=0)) for b in batches), default=0)

    def chunks(
        self, topics: Sequence[str] | None = None, *, max_bytes: float = CHUNK_BYTES
    ) -> list[tuple[str, ...]]:
        """Consecutive topics that fit into a part of memory together."""
        chunks: list[list[str]] = [[]]
        taken = 0
        for topic in self.topics if topics is None else sorted(set(topics)):
            size = self.sizes.get(topic, 0)
            if chunks[-1] and (taken + size) * DOCUMENT_BYTES > max_bytes:
                chunks.append([])
                taken = 0
            chunks[-1].append(topic)
            taken += size
        return [tuple(chunk) for chunk in chunks]

    def ranked(
        self,
        topics: Sequence[str] | None = None,
        *,
        scores: bool = False,
        submitted_ranks: bool = False,
    ) -> RankedLists:
        """The rankings of some topics."""
        wanted = None if topics is None else set(topics)
        # mapped for this call (and as long as `names` is held), so that memory is that of a chunk
        batches, _ = _open(self._path, _RUNS, "rankings")
        rankings = {
            topic: TopicRankings(
                _values(batch, "docnos"),
                _numpy(batch, "documents"),
                _numpy(batch, "scores") if scores else None,
                _numpy(batch, "submitted_ranks") if submitted_ranks else None,
                _numpy(batch, "lengths"),
            )
            for topic, batch in zip(self.topics, batches, strict=True)
            if wanted is None or topic in wanted
        }
        ranked = RankedLists.of_topics(self.systems, rankings)
        return ranked.with_topics(topics or ())


def write_qrels(
    path: str | os.PathLike,
    qrels: pa.Table,
    runs: CodedRuns,
    parameters: Mapping[str, object] | None = None,
    *,
    max_bytes: float = CHUNK_BYTES,
) -> None:
    """Write a qrels in the document codes of some rankings, with the topics that these lack."""
    qrels = qrels.unify_dictionaries().combine_chunks()
    rows_of = dict.fromkeys(unlabelled(qrels), np.empty(0, np.int64)) | _rows_of_topics(qrels)

    def rows() -> Iterator[list[object]]:
        for chunk in runs.chunks([*rows_of], max_bytes=max_bytes):
            ranked = runs.ranked(chunk)
            # of these topics alone: all rows for every chunk would be quadratic in topics
            of_chunk = joined([rows_of[topic] for topic in chunk], np.int64)
            judged = Judged.from_table(qrels.take(of_chunk), ranked)
            first_code = dict(zip(ranked.topics, ranked.name_offsets, strict=False))
            for t, topic in enumerate(judged.topics):
                here = slice(*judged.offsets[t : t + 2])
                documents = judged.documents[here]
                own = np.where(documents >= 0, documents - first_code[topic], NO_DOCUMENT)
                yield [topic, runs.digests.get(topic, _NOTHING), own, judged.grades[here]]

    _write(path, _QRELS, rows(), parameters)


class CodedQrels:
    """A qrels in the document codes of some rankings, in a file that `write_qrels` wrote.

    Parameters
    ----------
    path
        The file.
    runs
        The rankings.

    Attributes
    ----------
    topics
        Those that have a judged document, sorted.
    """

    def __init__(self, path: str | os.PathLike, runs: CodedRuns):
        """Open the file and check that it was made for these rankings."""
        batches, _ = _open(path, _QRELS, "qrels")
        self._batches = {_only(batch, "topic"): batch for batch in batches}
        self.topics: tuple[str, ...] = tuple(self._batches)
        for topic, batch in self._batches.items():
            if runs.digests.get(topic, _NOTHING) != _only(batch, "digest"):
                raise InputError(
                    path,
                    [(None, f"topic {topic}: was made for runs with other documents")],
                    "Delete it and run again.",
                )

    def judged(self, ranked: RankedLists) -> Judged:
        """The judged topics of some rankings, in their document codes."""
        topics = tuple(topic for topic in ranked.topics if topic in self._batches)
        batches = [self._batches[topic] for topic in topics]
        first_code = dict(zip(ranked.topics, ranked.name_offsets.tolist(), strict=False))
        documents = []
        for topic, batch in zip(topics, batches, strict=True):
            own = _numpy(batch, "documents")
            documents.append(np.where(own >= 0, own + np.int32(first_code[topic]), NO_DOCUMENT))
        return Judged(
            topics,
            offsets_of([len(part) for part in documents]),
            joined(documents, np.int32),
            joined([_numpy(b, "grades") for b in batches], np.float64),
        )


def read_chunks(
    runs: str | os.PathLike,
    qrels: str | os.PathLike,
    *,
    scores: bool = False,
    all_ranked: bool = False,
    max_bytes: float = CHUNK_BYTES,
) -> Iterator[tuple[RankedLists, Judged]]:
    """The judged topics' rankings and judgments, by chunks that fit into a part of memory.

    With `all_ranked`, those of the topics of the runs, judged or not.

    Results do not depend on the chunks: topics are scored each on its own, and what is added up
    over topics is added up in their order (`regrade.scoring.concat`).
    """
    coded = CodedRuns(runs)
    judgments = CodedQrels(qrels, coded)
    for chunk in coded.chunks(None if all_ranked else judgments.topics, max_bytes=max_bytes):
        ranked = coded.ranked(chunk, scores=scores)
        yield ranked, judgments.judged(ranked)


def _write(
    path: str | os.PathLike,
    schema: pa.Schema,
    rows: Iterable[Sequence[object]],
    parameters: Mapping[str, object] | None,
    **more: object,
) -> None:
    about = {"format": FORMAT, "version": __version__, "parameters": dict(parameters or {})}
    about |= provenance.of_file(path)
    metadata = {provenance.KEY: json.dumps({**about, **more}, sort_keys=True)}
    schema = schema.with_metadata(metadata)
    with atomic_path(path) as temporary, pa.ipc.new_file(str(temporary), schema) as writer:
        for values in rows:  # each a text, a digest or an array, of one topic
            columns = [
                _one_list(pa.array(value, field.type.value_type))
                if pa.types.is_list(field.type)
                else pa.array([value], field.type)
                for field, value in zip(schema, values, strict=True)
            ]
            writer.write_batch(pa.record_batch(columns, schema=schema))


def _open(
    path: str | os.PathLike, schema: pa.Schema, what: str
) -> tuple[list[pa.RecordBatch], dict]:
    """The batches, mapped into memory, and what the file says of itself."""
    try:
        reader = pa.ipc.open_file(pa.memory_map(os.fspath(path)))
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(path, [(None, f"cannot be read as Arrow: {error}")]) from error
    stored = (reader.schema.metadata or {}).get(provenance.KEY)
    metadata = json.loads(stored) if stored is not None else {}
    if metadata.get("format") != FORMAT or not reader.schema.equals(schema, check_metadata=False):
        raise InputError(
            path,
            [(None, f"holds no {what} as codes, or those of another version")],
            "Delete it and run again.",
        )
    return [reader.get_batch(i) for i in range(reader.num_record_batches)], metadata


def _rows_of_topics(qrels: pa.Table) -> dict[str, np.ndarray]:
    names, topic = encode(qrels["topic"])
    by_topic = np.argsort(topic, kind="stable")
    bounds = pairwise(np.searchsorted(topic[by_topic], np.arange(len(names) + 1)))
    parts = (by_topic[start:stop] for start, stop in bounds)
    return dict(zip(names.to_pylist(), parts, strict=True))


def _digest(docnos: pa.StringArray) -> bytes:
    lengths = pc.binary_length(docnos).to_numpy()
    digest = hashlib.blake2b(lengths.tobytes(), digest_size=_DIGEST.byte_width)
    digest.update(pc.binary_join(_one_list(docnos), "")[0].as_buffer())
    return digest.digest()


def _one_list(values: pa.Array) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)


def _only(batch: pa.RecordBatch, column: str):
    return batch.column(column)[0].as_py()


def _values(batch: pa.RecordBatch, column: str) -> pa.Array:
    return batch.column(column).flatten()


def _numpy(batch: pa.RecordBatch, column: str) -> np.ndarray:
    return _values(batch, column).to_numpy()
