"""Every table's schema, and the one way to write and read a table.

Tables are Parquet files: zstd, strings dictionary-encoded, provenance in the
file's metadata, the same bytes for the same content.  They are written to a
temporary file in the same folder and renamed, so a killed job leaves nothing
half-written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from regrade import __version__
from regrade.errors import InputError, ParameterError

STRING = pa.dictionary(pa.int32(), pa.string())

_METADATA = b"regrade"
"""Key of the provenance in a file's metadata."""


def _schema(**fields: pa.DataType | tuple[pa.DataType]) -> pa.Schema:
    """A schema; a type in a tuple of one marks a column that may hold nulls."""
    return pa.schema(
        [
            pa.field(name, kind[0] if isinstance(kind, tuple) else kind, isinstance(kind, tuple))
            for name, kind in fields.items()
        ]
    )


SCHEMAS: dict[str, pa.Schema] = {
    # sorted by system, topic, rank; `line` counts from 1 in the file it came from
    "runs": _schema(
        system=STRING,
        topic=STRING,
        rank=pa.int32(),
        docno=STRING,
        score=pa.float64(),
        submitted_rank=pa.int32(),
        line=pa.int32(),
    ),
    # an unjudged document has no row
    "qrels": _schema(topic=STRING, docno=STRING, grade=pa.float64()),
    # one row per value that a worker gave; `unit` is the HIT
    "judgments": _schema(
        topic=STRING,
        docno=STRING,
        worker=STRING,
        unit=(STRING,),
        position=(pa.int32(),),
        value=pa.float64(),
        seconds=(pa.float64(),),
    ),
    "scores": _schema(
        system=STRING,
        topic=STRING,
        measure=STRING,
        value=pa.float64(),
        residual=(pa.float64(),),
    ),
    # `topic` is ALL_TOPICS for the one cut for all topics; `criterion` is α, or τ where the
    # method is "tau"; null cuts: the criterion is undefined for every cut;
    # n_defined of n: the units (or, for ALL_TOPICS, the topics) that its value averages
    "best_cuts": _schema(
        method=STRING,
        reference=(STRING,),
        topic=STRING,
        c1=(pa.int16(),),
        c2=(pa.int16(),),
        c3=(pa.int16(),),
        alpha=(pa.float64(),),
        tied=pa.int32(),
        n_defined=pa.int32(),
        n=pa.int32(),
    ),
    # the range of one threshold over the cuts with the `values` highest distinct values of α
    "top_cuts": _schema(
        method=STRING,
        reference=(STRING,),
        topic=STRING,
        threshold=STRING,
        values=pa.int32(),
        n_cuts=pa.int32(),
        low=(pa.float64(),),
        q1=(pa.float64(),),
        median=(pa.float64(),),
        q3=(pa.float64(),),
        high=(pa.float64(),),
    ),
    "rankings": _schema(
        method=STRING,
        reference=(STRING,),
        selection=STRING,
        expert=STRING,
        measure=STRING,
        tau=(pa.float64(),),
        n_systems=pa.int32(),
        n_topics=pa.int32(),
    ),
    # how a method's cuts fare among all cuts by τ; see regrade.cutrankings.tau_of_chosen_cuts
    "tau_topics": _schema(
        method=STRING,
        reference=(STRING,),
        expert=STRING,
        topic=STRING,
        low=(pa.float64(),),
        q1=(pa.float64(),),
        median=(pa.float64(),),
        q3=(pa.float64(),),
        high=(pa.float64(),),
        per_topic=(pa.float64(),),
        single=(pa.float64(),),
        share_higher=(pa.float64(),),
    ),
    # α of experts' labels cut into two levels against other experts' (han2019 Table 3); `alpha`
    # over all documents together, `mean_alpha` over the topics, `best_topics` of `n_topics` where
    # the cut is (one of) the best
    "expert_cuts": _schema(
        source=STRING,
        reference=STRING,
        documents=pa.int32(),
        c1=pa.int16(),
        alpha=(pa.float64(),),
        mean_alpha=(pa.float64(),),
        best_topics=pa.int32(),
        n_topics=pa.int32(),
    ),
    # --- ties: see regrade.ties ---
    "tie_rates": _schema(
        affected=STRING, quantity=STRING, count=pa.int64(), total=pa.int64(), value=pa.float64()
    ),
    "tie_ranges": _schema(
        measure=STRING,
        system=STRING,
        run=pa.float64(),
        trec_eval=pa.float64(),
        expected=pa.float64(),
        eq33=(pa.float64(),),
        pessimistic=pa.float64(),
        optimistic=pa.float64(),
        range=pa.float64(),
        tied=pa.int64(),
    ),
    "tie_bounds": _schema(rho=pa.float64(), measure=STRING, bound=pa.float64()),
    "banded_scores": _schema(
        measure=STRING,
        rho=pa.float64(),
        system=STRING,
        topic=STRING,
        original=pa.float64(),
        banded=pa.float64(),
        difference=pa.float64(),
    ),
    "non_inferiority": _schema(
        measure=STRING,
        rho=pa.float64(),
        fraction=pa.float64(),
        system=STRING,
        t=(pa.float64(),),
        p=(pa.float64(),),
    ),
    "banded_p_values": _schema(
        measure=STRING,
        rho=pa.float64(),
        first=STRING,
        second=STRING,
        p_original=(pa.float64(),),
        p_banded=(pa.float64(),),
    ),
    "quadrants": _schema(
        measure=STRING,
        rho=pa.float64(),
        pairs=pa.int32(),
        true_positive=pa.float64(),
        false_negative=pa.float64(),
        false_positive=pa.float64(),
        true_negative=pa.float64(),
    ),
    # --- pools: see regrade.pooling and regrade.poolscores ---
    "deeply_judged": _schema(
        system=STRING,
        topics=pa.int32(),
        shortest=pa.int32(),
        first_unjudged=pa.int32(),
        deeply_judged=pa.bool_(),
    ),
    "collection_facts": _schema(fact=STRING, value=pa.float64()),
    "pool_sizes": _schema(
        pooling=STRING,
        topic=STRING,
        pooled=pa.int64(),
        judged=pa.int64(),
        relevant=pa.int64(),
        single_judged=pa.int64(),
        single_relevant=pa.int64(),
    ),
    "pool_votes": _schema(
        pooling=STRING,
        votes=STRING,
        low=pa.int64(),
        high=(pa.int64(),),
        judged=pa.int64(),
        relevant=pa.int64(),
        percent=(pa.float64(),),
    ),
    # scores under the qrels reduced to a pool of each depth
    "pool_scores": _schema(
        depth=pa.int32(),
        system=STRING,
        topic=STRING,
        measure=STRING,
        value=pa.float64(),
        residual=(pa.float64(),),
    ),
    # --- leave one out: see regrade.leaveout ---
    "left_out_systems": _schema(
        pooling=STRING,
        by=STRING,
        left_out=STRING,
        system=STRING,
        measure=STRING,
        score=pa.float64(),
        score_left_out=pa.float64(),
        rank=pa.int32(),
        rank_left_out=pa.int32(),
        passed=pa.int32(),
        passed_significant=pa.int32(),
    ),
    "left_out_units": _schema(
        pooling=STRING,
        by=STRING,
        left_out=STRING,
        measure=STRING,
        systems=pa.int32(),
        lost=pa.int32(),
        lost_relevant=pa.int32(),
        gained=pa.int32(),
        gained_relevant=pa.int32(),
        tau=(pa.float64(),),
    ),
    "left_out_summary": _schema(
        pooling=STRING,
        by=STRING,
        measure=STRING,
        systems=pa.int32(),
        mae=pa.float64(),
        largest_error=pa.float64(),
        bias=pa.float64(),
        sre=pa.int64(),
        sre_significant=pa.int64(),
        tau=(pa.float64(),),
        tau_all=(pa.float64(),),
    ),
    # --- residuals and ranges: see regrade.residuals and regrade.ranges ---
    "rbp_curves": _schema(
        system=STRING,
        topic=STRING,
        depth=pa.float64(),
        phi=pa.float64(),
        value=pa.float64(),
        residual=pa.float64(),
    ),
    "tau_by_phi": _schema(
        measure=STRING,
        phi=pa.float64(),
        depth=pa.float64(),
        tau=(pa.float64(),),
        residual=pa.float64(),
    ),
    "nearest_phi": _schema(
        measure=STRING,
        coefficient=STRING,
        topic=STRING,
        relevant=pa.int32(),
        correlation=(pa.float64(),),
        phi_lowest=(pa.float64(),),
        phi_middle=(pa.float64(),),
        phi_highest=(pa.float64(),),
        tied=pa.int32(),
        residual=(pa.float64(),),
    ),
    "nearest_summary": _schema(
        measure=STRING,
        coefficient=STRING,
        below_08=pa.int32(),
        below_09=pa.int32(),
        from_09=pa.int32(),
        undefined=pa.int32(),
        tau=(pa.float64(),),
        p=(pa.float64(),),
        mean_phi=(pa.float64(),),
    ),
    "movement_correlations": _schema(
        measure=STRING,
        rankings=pa.int32(),
        tau_difference=(pa.float64(),),
        ratios=pa.int32(),
        tau_ratio=(pa.float64(),),
    ),
    "score_movements": _schema(
        measure=STRING,
        depth=pa.int32(),
        system=STRING,
        topic=STRING,
        value=pa.float64(),
        reference=pa.float64(),
        difference=pa.float64(),
        ratio=(pa.float64(),),
        residual=pa.float64(),
    ),
    "ranges": _schema(
        system=STRING,
        topic=STRING,
        measure=STRING,
        value=pa.float64(),
        low=pa.float64(),
        high=pa.float64(),
        unjudged=pa.int32(),
        relevant_low=pa.int32(),
        relevant_high=pa.int32(),
    ),
    "system_ranges": _schema(
        system=STRING, measure=STRING, value=pa.float64(), low=pa.float64(), high=pa.float64()
    ),
    # --- discrimination and ANCOVA: see regrade.discrimination and regrade.ancova ---
    "pairs": _schema(
        depth=pa.int32(),
        measure=STRING,
        test=STRING,
        system=STRING,
        other=STRING,
        difference=pa.float64(),
        statistic=(pa.float64(),),
        p=(pa.float64(),),
        p_adjusted=(pa.float64(),),
    ),
    # pairs of systems by the τ of their p-values and pool depth
    "trend_counts": _schema(
        measure=STRING,
        test=STRING,
        tau=(pa.float64(),),
        outcome=STRING,
        n_pairs=pa.int32(),
        share=pa.float64(),
    ),
    "significance_curve": _schema(
        depth=pa.int32(),
        measure=STRING,
        test=STRING,
        position=pa.int32(),
        share=pa.float64(),
        p=(pa.float64(),),
    ),
    "ancova_effects": _schema(
        measure=STRING,
        term=STRING,
        sum_sq=pa.float64(),
        df=pa.float64(),
        f=(pa.float64(),),
        p=(pa.float64(),),
        eta_sq=(pa.float64(),),
        omega_sq=(pa.float64(),),
        partial_eta_sq=(pa.float64(),),
        partial_omega_sq=(pa.float64(),),
    ),
    "ancova_diagnostics": _schema(
        measure=STRING,
        depth=pa.int32(),
        topic=STRING,
        system=STRING,
        fitted=pa.float64(),
        residual=pa.float64(),
        leverage=pa.float64(),
        standardised=(pa.float64(),),
        quantile=(pa.float64(),),
    ),
    "mixed_coefficients": _schema(
        measure=STRING,
        term=STRING,
        level=STRING,
        estimate=pa.float64(),
        std_error=(pa.float64(),),
        z=(pa.float64(),),
        p=(pa.float64(),),
    ),
    "mixed_tests": _schema(
        measure=STRING,
        term=STRING,
        chi2=(pa.float64(),),
        df=pa.float64(),
        p=(pa.float64(),),
    ),
    "mixed_variances": _schema(
        measure=STRING,
        topic_variance=pa.float64(),
        residual_variance=pa.float64(),
        intraclass=(pa.float64(),),
        log_likelihood=pa.float64(),
        converged=pa.bool_(),
    ),
    # --- import ---
    # one row per system and topic; see regrade.audit
    "audit_runs": _schema(
        system=STRING,
        topic=STRING,
        documents=pa.int32(),
        tied_documents=pa.int32(),
        first_tie=(pa.int32(),),
        contradictions=pa.int32(),
        short=pa.bool_(),
    ),
    # one row per system, topic and qrels
    "audit_judged": _schema(
        qrels=STRING,
        system=STRING,
        topic=STRING,
        judged=pa.int32(),
        unjudged=pa.int32(),
        first_unjudged=pa.int32(),
    ),
    # one row per judgment set and topic
    "audit_judgments": _schema(
        judgments=STRING,
        topic=STRING,
        documents=pa.int32(),
        judgments_count=pa.int32(),
        workers=pa.int32(),
        units=(pa.int32(),),
        min_per_document=pa.int32(),
        median_per_document=pa.float64(),
        max_per_document=pa.int32(),
        repeated=pa.int32(),
    ),
    # what a reader of the import wants to know, one fact a row
    "audit_summary": _schema(
        source=STRING,
        fact=STRING,
        value=pa.float64(),
        total=(pa.float64(),),
    ),
}

ALL_TOPICS = "*"
"""The topic of a row that holds for the whole collection."""

CUT_COLUMNS = ("c1", "c2", "c3")


def per_cut_schema(levels: int, topics: Sequence[str]) -> pa.Schema:
    """Schema of a table with one row per cut: thresholds, a column per topic, ``mean``.

    Used for α (one table per transformation and method) and for τ of every cut.

    Parameters
    ----------
    levels
        Levels of the target scale, 2 to 4; the table has ``levels - 1`` thresholds.
    topics
        Topic names, in column order.

    Raises
    ------
    ParameterError
        If a topic's name is one of the table's own column names.
    """
    reserved = {*CUT_COLUMNS, "mean"} & set(topics)
    if reserved:
        raise ParameterError(
            f"a topic may not be called {', '.join(sorted(reserved))}: "
            "tables with one row per cut use that name for a column; rename the topic"
        )
    return pa.schema(
        [pa.field(name, pa.int16(), nullable=False) for name in CUT_COLUMNS[: levels - 1]]
        + [pa.field(topic, pa.float64()) for topic in topics]
        + [pa.field("mean", pa.float64())]
    )


@contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Give a temporary path beside `path`, renamed to it when the block ends well.

    The temporary file is hidden and has the ending of `path`, so that writers which look at it
    agree.  Its name is always the same: what a killed writer left is overwritten by the next.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_table(
    table: pa.Table | pd.DataFrame,
    path: str | os.PathLike,
    schema: str | pa.Schema,
    parameters: Mapping[str, object] | None = None,
) -> None:
    """Write a table atomically, checked against its schema.

    Parameters
    ----------
    table
        Columns in any order; types are cast where nothing is lost.
    path
        Where to.
    schema
        A name in `SCHEMAS`, or a schema (see `per_cut_schema`).
    parameters
        What made the table, kept in the file's metadata as JSON beside the package's version.

    Raises
    ------
    ParameterError
        If columns are missing, unknown or repeated, a value does not fit its column, or a
        null (or NaN, which counts as null) stands where none may.
    """
    schema = SCHEMAS[schema] if isinstance(schema, str) else schema
    if isinstance(table, pd.DataFrame):
        table = pa.Table.from_pandas(table, preserve_index=False)
    table = _conform(table, schema, path)
    provenance = {"version": __version__, "parameters": dict(parameters or {})}
    table = table.replace_schema_metadata({_METADATA: json.dumps(provenance, sort_keys=True)})
    with atomic_path(path) as temporary:
        pq.write_table(
            table, temporary, compression="zstd", row_group_size=1 << 20, store_schema=True
        )


def read_table(path: str | os.PathLike, schema: str | None = None, **options) -> pa.Table:
    """Read a table that `write_table` wrote, checked against its schema.

    Parameters
    ----------
    path
        The file.
    schema
        A name in `SCHEMAS`; ``None`` for tables with one row per cut.
    **options
        Passed on to `pyarrow.parquet.read_table` (``columns``, ``filters``, …).

    Raises
    ------
    InputError
        If the file is no such table.
    """
    try:
        table = pq.read_table(path, **options)
    except (pa.ArrowInvalid, OSError) as error:
        raise _unreadable(path, error) from error
    _own_metadata(path, table.schema)
    if schema is not None:
        wanted = SCHEMAS[schema]
        if "columns" in options:
            wanted = pa.schema([wanted.field(name) for name in options["columns"]])
        if not table.schema.equals(wanted, check_metadata=False):
            raise InputError(
                path,
                [(None, f"is no '{schema}' table: its columns are {table.schema.names}")],
                "It was written by another version: delete it and run again.",
            )
    return table


def read_provenance(path: str | os.PathLike) -> dict:
    """The version and parameters that `write_table` put in the file's metadata.

    Raises
    ------
    InputError
        If it did not write the file.
    """
    try:
        schema = pq.read_schema(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise _unreadable(path, error) from error
    return json.loads(_own_metadata(path, schema))


def _unreadable(path: str | os.PathLike, error: Exception) -> InputError:
    return InputError(path, [(None, f"cannot be read as Parquet: {error}")])


def _own_metadata(path: str | os.PathLike, schema: pa.Schema) -> bytes:
    """The metadata that only `write_table` writes."""
    found = (schema.metadata or {}).get(_METADATA)
    if found is None:
        raise InputError(
            path,
            [(None, "is Parquet, but no table that regrade wrote")],
            "Delete it and run again.",
        )
    return found


def encode(column: pa.ChunkedArray) -> tuple[pa.StringArray, np.ndarray]:
    """Codes of a column of names.

    Parameters
    ----------
    column
        n names: strings, or anything else that reads as a string; dictionary-encoded or not.

    Returns
    -------
    names : pa.StringArray
        The distinct names that the column holds, sorted bytewise.
    codes : ndarray of int32, shape (n,)
        Each row's index among them; −1 where null.
    """
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    array = column.unify_dictionaries().combine_chunks()
    codes = array.indices.cast(pa.int32()).fill_null(-1).to_numpy()
    values = array.dictionary.cast(pa.string())
    is_used = np.zeros(len(values) + 1, dtype=bool)  # one more, at −1, for nulls
    is_used[codes] = True
    used = np.flatnonzero(is_used[:-1])
    # encoded again: a dictionary may hold a name twice, or a null
    found = values.take(pa.array(used)).dictionary_encode()
    order = pc.sort_indices(found.dictionary)
    place = np.full(len(order) + 1, -1, dtype=np.int32)
    place[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
    new = np.full(len(values) + 1, -1, dtype=np.int32)
    new[used] = place[found.indices.fill_null(-1).to_numpy()]
    return found.dictionary.take(order), new[codes]


def _conform(table: pa.Table, schema: pa.Schema, path: str | os.PathLike) -> pa.Table:
    """The table in its schema, in the one form that equal content has."""
    names = table.column_names
    missing = [name for name in schema.names if name not in names]
    unknown = [name for name in names if name not in schema.names]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if missing or unknown or repeated:
        raise ParameterError(
            f"{path}: columns missing: {missing}, unknown: {unknown}, repeated: {repeated}"
        )
    columns = []
    for field in schema:
        try:
            column = _column(table.column(field.name), field.type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise ParameterError(f"{path}: column {field.name}: {error}") from error
        if not field.nullable and column.null_count:
            raise ParameterError(f"{path}: column {field.name} holds {column.null_count} nulls")
        columns.append(column)
    return pa.table(columns, schema=schema)


def _column(column: pa.ChunkedArray, kind: pa.DataType) -> pa.Array:
    """The column as one array, since pages of a file end where chunks do."""
    if pa.types.is_dictionary(kind):
        names, codes = encode(column)
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), names)
    column = column.cast(kind).combine_chunks()
    if pa.types.is_floating(kind):  # NaN is null, as it is where pandas gave the table
        column = pc.if_else(pc.is_nan(column), None, column)
    return column
