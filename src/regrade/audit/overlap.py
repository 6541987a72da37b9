"""What the parts of a collection share: where they share nothing, nothing can come out."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.audit.columns import topics
from regrade.errors import MethodError
from regrade.ordering import group_starts
from regrade.run_arrays import NO_DOCUMENT, Judged, RankedLists, are_among
from regrade.wording import SHOWN, counted, first_few, to_be

LEAST_TOPICS = 0.1
"""Labels and runs must share this part of the topics of whichever has fewer."""

LEAST_DOCUMENTS = 0.01
"""As `LEAST_TOPICS`, of the documents of the topics that they share."""


@dataclass(frozen=True)
class Overlap:
    """What a set of labels and runs share.

    Attributes
    ----------
    labels
        What messages call the labels.
    judged, ranked
        The topics of the labels, and those that a run ranks documents for.
    documents, retrieved, shared
        Of the topics in both: the judged documents, the retrieved ones, and those that are both.
    lacking
        The judged topics that each system ranks no document for.
    documents_alike
        A judged and a retrieved docno, to show.
    alike
        What is to be said of docnos that may be the same.
    """

    labels: str
    judged: frozenset[str]
    ranked: frozenset[str]
    documents: int
    retrieved: int
    shared: int
    lacking: Mapping[str, Sequence[str]]
    documents_alike: tuple[str, str]
    alike: str = ""

    @classmethod
    def of(
        cls, labels: str, docnos: pa.ChunkedArray, judged: Judged, ranked: RankedLists
    ) -> Overlap:
        """Count."""
        names, lengths = np.array(ranked.topics, object), ranked.lengths
        sizes, is_judged = np.diff(ranked.name_offsets), are_among(ranked.topics, judged.topics)
        lacks, judged_topics = lengths[:, is_judged] == 0, names[is_judged]
        return cls(
            labels,
            frozenset(judged.topics),
            frozenset(names[sizes > 0]),
            int(np.diff(judged.offsets)[sizes[is_judged] > 0].sum()),
            int(sizes[is_judged].sum()),
            int((judged.documents != NO_DOCUMENT).sum()),
            {
                name: judged_topics[of].tolist()
                for name, of in zip(ranked.systems, lacks, strict=True)
            },
            (docnos[0].as_py(), ranked.names[0].as_py() if len(ranked.names) else ""),
            docnos_alike(docnos, ranked.names),
        )

    @classmethod
    def of_chunks(
        cls,
        labels: str,
        docnos: pa.ChunkedArray,
        chunks: Iterable[tuple[RankedLists, Judged]],
        topics: Iterable[str],
    ) -> Overlap:
        """Count by chunks of the judged topics; `topics` are those of the runs."""
        parts, names = [], []
        for ranked, judged in chunks:
            parts.append(cls.of(labels, docnos, judged, ranked))
            names.append(names_to_compare(ranked.names, docnos))
        counts = zip(*((p.documents, p.retrieved, p.shared) for p in parts), strict=True)
        lacking: dict[str, list[str]] = {}
        for part in parts:
            for system, lacked in part.lacking.items():
                lacking.setdefault(system, []).extend(lacked)
        retrieved = pa.chunked_array(names, pa.string())
        examples = [p.documents_alike for p in parts if p.documents_alike[1]] or [("", "")]
        return cls(
            labels,
            frozenset().union(*(part.judged for part in parts)),
            frozenset(topics),
            *map(sum, counts),
            lacking,
            examples[0],
            docnos_alike(docnos, retrieved),
        )

    def check(self) -> None:
        """Refuse labels and runs that share next to nothing."""
        both = self.judged & self.ranked
        fewer = min(len(self.judged), len(self.ranked))
        if len(both) < LEAST_TOPICS * fewer or not both:
            raise MethodError(_topics_apart(self.labels, self.judged, self.ranked))
        fewer = min(self.documents, self.retrieved)
        if self.shared >= LEAST_DOCUMENTS * fewer and self.shared:
            return
        problem = f"no document that {self.labels} judges was"
        if self.shared:
            problem = f"only {self.shared} of {fewer:,} documents of {self.labels} were"
        raise MethodError(
            f"{problem} retrieved for its topic: do docnos have the same format? The "
            f"labels have '{self.documents_alike[0]}', the runs "
            f"'{self.documents_alike[1]}'{self.alike and f' ({self.alike})'}"
        )

    def facts(self) -> str:
        """What met, in a sentence."""
        both, n = len(self.judged & self.ranked), len(self.lacking)
        others = self.ranked - self.judged
        left_out = ""
        if others:
            left_out = (
                f"; {len(others)} more of the runs' are not judged and left out ({_first(others)})"
            )
        return (
            f"{self.labels} and {counted(n, 'run')}: {both} of {len(self.judged)} judged topics "
            f"ranked{left_out}; {self.shared:,} of {self.documents:,} judged documents retrieved"
        )

    def warnings(self, unranked: str = "zero") -> Iterator[str]:
        """Runs that lack topics, and topics that may be written in two ways."""
        n = len(self.judged)
        few = {system: topics for system, topics in self.lacking.items() if topics}
        examples = "; ".join(
            f"{system} {n - len(topics)}, not {_first(topics)}"
            for system, topics in list(few.items())[:SHOWN]
        )
        more = "; …" if len(few) > SHOWN else ""
        then = "the others count 0" if unranked == "zero" else "the others are left out of its mean"
        if few:
            yield (
                f"{len(few)} of {len(self.lacking)} runs rank fewer than the {n} judged topics "
                f"({examples}{more}): {then}"
            )
        lacked = (self.judged - self.ranked).union(*few.values())
        if alike := nearly_alike(lacked, self.ranked - self.judged):
            yield f"topics {alike}: topics are text, use one format"
        if self.alike:
            yield f"documents {self.alike}: docnos are text, use one format"

    def notes(self) -> Iterator[str]:
        """What an answer says of topics that do not meet, in sentences."""
        yield from (f"{warning[0].upper()}{warning[1:]}." for warning in self.warnings())
        if others := self.ranked - self.judged:
            topics = counted(len(others), "topic")
            are = to_be(len(others))
            yield f"{topics} of the runs {are} not judged by {self.labels}: {_first(others)}."


def _first(topics: Iterable[str]) -> str:
    """The first few topics."""
    return first_few(sorted(topics))


def _topics_apart(labels: str, here: Set[str], in_runs: Set[str]) -> str:
    """That labels and runs share few topics, or none, with one of each that the other lacks."""
    both, fewer = here & in_runs, min(len(here), len(in_runs))
    shared = f"only {len(both)} of {fewer} topics" if both else "no topic"
    alike = nearly_alike(here, in_runs)
    first, second = (min(names - both or names) for names in (here, in_runs))
    return (
        f"{labels} and the runs have {shared} in common{f' ({alike})' if alike else ''}: "
        f"do topics have the same format? The labels have '{first}', the runs '{second}'"
    )


def check_documents_shared(first: pa.Table, second: pa.Table, names: tuple[str, str]) -> None:
    """Refuse two sets that have no document with a topic in common."""
    if share_documents(documents_of(first), documents_of(second)):
        return
    alike = nearly_alike(topics(first), topics(second))
    why = f" ({alike})" if alike else ""
    example, other_example = (
        f"{name} has '{table['docno'][0].as_py()}' for topic '{table['topic'][0].as_py()}'"
        for name, table in zip(names, (first, second), strict=True)
    )
    raise MethodError(
        f"{names[0]} and {names[1]} share no document{why}: do topics and docnos have the "
        f"same format? {example}, {other_example}"
    )


def shared_documents(first: pa.Table, second: pa.Table, names: tuple[str, str]) -> str:
    """How many topics and documents two sets have in common, as a sentence."""
    own, others = documents_of(first), documents_of(second)
    both = own.keys() & others.keys()
    shared = sum(len(np.intersect1d(own[t], others[t], assume_unique=True)) for t in both)
    alike = nearly_alike(own, others)
    more = f"; topics {alike}: topics are text, use one format" if alike else ""
    return (
        f"{names[0]} ({_counts(own)}) and {names[1]} ({_counts(others)}) share "
        f"{counted(len(both), 'topic')}, {counted(shared, 'document')}{more}"
    )


def _counts(documents: Mapping[str, np.ndarray]) -> str:
    n_documents = sum(map(len, documents.values()))
    return f"{counted(len(documents), 'topic')}, {counted(n_documents, 'document')}"


def _unquoted(name: str) -> str:
    """A name without quotes around it."""
    is_quoted = len(name) > 1 and name[0] in "\"'" and name[0] == name[-1]
    return name[1:-1] if is_quoted else name


_FORMS = {
    "by leading zeros only": (lambda name: name.lstrip("0"), "'{}'".format),
    "by quotes only": (_unquoted, "{}".format),
    # which look the same
    "in their form of Unicode only": (lambda name: unicodedata.normalize("NFC", name), ascii),
}
"""Ways in which names of one thing differ: what is the same then, and how a name is shown."""


def nearly_alike(first: Iterable[str], second: Iterable[str]) -> str:
    """What is to be said of names that may be the same, of which each side lacks one.

    Examples
    --------
    >>> nearly_alike(["01", "caf\u00e9"], ["1", "cafe\u0301"])
    "'01' and '1' differ by leading zeros only; 'caf\\xe9' and 'cafe\\u0301' differ in their form \
of Unicode only"
    """
    first, second = set(first), set(second)
    own, others, reasons = sorted(first - second), sorted(second - first, reverse=True), []
    for how, (form, quoted) in _FORMS.items():
        other = {form(name): name for name in others}
        pairs = [(name, other[form(name)]) for name in own if form(name) in other]
        if pairs:
            named = first_few([f"{quoted(name)} and {quoted(like)}" for name, like in pairs])
            reasons.append(f"{named} differ {how}")
    return "; ".join(reasons)


def names_to_compare(retrieved: pa.ChunkedArray, judged: pa.ChunkedArray) -> pa.Array:
    """Of retrieved docnos those that `docnos_alike` needs to be given."""
    judged = _unique_texts(judged)
    forms = pa.concat_arrays([judged, pa.array([*map(_unquoted, _odd(judged))], pa.string())])
    kept = pc.or_(pc.is_in(retrieved, value_set=forms), _is_odd(retrieved))
    return _whole(retrieved.filter(kept))


def docnos_alike(judged: pa.ChunkedArray, retrieved: pa.ChunkedArray) -> str:
    """The same of docnos, of which there are many: of those in quotes, or beyond ASCII."""
    judged = _unique_texts(judged)
    odd = {name for names in (judged, retrieved) for name in _odd(names)}
    if not odd:
        return ""
    forms = pa.array(sorted(odd | set(map(_unquoted, odd))), pa.string())
    both = (forms.filter(pc.is_in(forms, value_set=_whole(one))) for one in (judged, retrieved))
    return nearly_alike(*(names.to_pylist() for names in both))


def _unique_texts(names: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Names, once each."""
    return _whole(pc.unique(names.cast(pa.string())))


def _odd(names: pa.Array | pa.ChunkedArray) -> list[str]:
    return names.filter(_is_odd(names)).to_pylist()


def _is_odd(names: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Which names stand in quotes, or hold what is not ASCII."""
    is_odd = pc.invert(pc.string_is_ascii(names))
    for mark in "\"'":
        is_odd = pc.or_(is_odd, pc.and_(pc.starts_with(names, mark), pc.ends_with(names, mark)))
    return is_odd


def _whole(names: pa.Array | pa.ChunkedArray) -> pa.Array:
    return names.combine_chunks() if isinstance(names, pa.ChunkedArray) else names


def documents_of(table: pa.Table) -> dict[str, np.ndarray]:
    """The docnos of each topic of a set, once each."""
    if not table.num_rows:
        return {}
    pairs = table.select(["topic", "docno"]).group_by(["topic", "docno"]).aggregate([])
    of, names = (pairs[name].cast(pa.string()).to_numpy() for name in ("topic", "docno"))
    order = np.argsort(of, kind="stable")
    of, names = of[order], names[order]
    starts = group_starts(of)[1:]
    return {
        part[0]: own
        for part, own in zip(np.split(of, starts), np.split(names, starts), strict=True)
    }


def share_documents(first: Mapping[str, np.ndarray], second: Mapping[str, np.ndarray]) -> bool:
    """Whether two sets have a document of one topic in common; see `documents_of`."""
    return any(
        len(np.intersect1d(first[topic], second[topic], assume_unique=True))
        for topic in first.keys() & second.keys()
    )
