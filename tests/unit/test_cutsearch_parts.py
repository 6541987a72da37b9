"""A search whose topics are shared out writes the same bytes as one that holds them all."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from regrade.catalogue.arrow import per_cut_schema
from regrade.choices import CUT_METHODS, UNDEFINED
from regrade.cutsearch import parts
from regrade.cutsearch.best import cut_tables
from regrade.cutsearch.groups import cut_groups
from regrade.cutsearch.parts import WRITTEN, read_part, searched_part, write_search
from regrade.cutsearch.search import SourceTopics, UnservedError, part_of, prepare, search
from regrade.cutsearch.source_comparisons import of_topics, single_cut
from regrade.errors import InputError, MethodError, ParameterError
from regrade.scales import Scale
from regrade.tables import PerCut, read_table, write_table
from tests.unit.judgments import alpha_options, random_judgments, random_labels

S11 = Scale.of({"levels": 11})

ABOUT = {"made": "here"}


def judged(topics, seed=1, **options):
    """Judgments of some topics, named so that their order by name is another than by number."""
    options = {"levels": 11, "documents": 6, "units": 5, "workers": 4} | options
    return random_judgments(seed, topics=topics, **options)


def as_ever(folder, judgments, levels, method, reference, pool=None, **options):
    """The tables of a search that holds everything."""
    options = alpha_options(**options)
    found = prepare(judgments, 11, levels, method, reference, options, pool=pool).search()
    return written_whole(folder, found, "R" if reference else None)


def written_whole(folder, found, label):
    folder.mkdir(exist_ok=True)
    about = ABOUT | {"thresholds": found.grid or "all"}
    schema = per_cut_schema("cuts/alpha", found.cuts.shape[1] + 1, found.topics, len(found.cuts))
    write_table(found.to_frame(), folder / "alpha.parquet", schema, about)
    for name, table in cut_tables(found, label).items():
        write_table(table, folder / f"{name}.parquet", f"cuts/{name}", about)
    return bytes_of(folder)


def in_parts(folder, of, judgments, levels, method, reference, required=True, pool=None, **options):
    """The same, searched in `of` parts that are kept in files."""
    label, found = "R" if reference else None, []
    how = reference, alpha_options(**options)
    for number in range(1, of + 1):
        topics = SourceTopics.of(judgments, S11, pool, (number, of))
        searched = searched_part(topics.plan(levels, method, *how), label)
        path = folder / "chunks" / f"{number}" / f"{method}.arrow"
        searched.write(path)
        found.append(read_part(path))
    return written(folder, found, label, required)


def written(folder, found, label, required=True):
    paths = {name: folder / f"{name}.parquet" for name in WRITTEN}
    write_search(found, paths, label, ABOUT, required=required)
    return bytes_of(folder)


def bytes_of(folder):
    return {name: (folder / f"{name}.parquet").read_bytes() for name in WRITTEN}


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    """Many blocks of small tables."""
    monkeypatch.setattr(parts, "ROWS", 16)


@pytest.mark.parametrize("method", CUT_METHODS)
def test_the_number_of_parts_does_not_show(tmp_path, method):
    judgments = judged(11)
    labels = random_labels(3, judgments, 4) if CUT_METHODS[method].needs_reference else None
    asked = judgments, 4, method, labels
    expected = as_ever(tmp_path / "whole", *asked)
    for of in (1, 3, 17):
        assert in_parts(tmp_path / f"{of}", of, *asked) == expected, of


# each with each of the others once
@pytest.mark.parametrize(
    ("method", "undefined", "coverage"),
    [
        (method, undefined, (0, 0.6, 1)[(m + u) % 3])
        for m, method in enumerate(("h2", "tw1", "d2_at"))
        for u, undefined in enumerate(UNDEFINED)
    ],
)
def test_undefined_values_and_other_rules(tmp_path, method, undefined, coverage):
    alike = judged(9, seed=4).to_pandas()
    alike.loc[alike["topic"].isin(["2", "7"]), "value"] = 5.0  # α of no cut is defined
    alike.loc[alike["topic"].isin(["4"]), "value"] = alike["value"].clip(3, 4)
    judgments = pa.Table.from_pandas(alike, preserve_index=False)
    labels = random_labels(3, judgments, 3) if CUT_METHODS[method].needs_reference else None
    asked = {"undefined": undefined, "coverage": coverage}
    expected = as_ever(tmp_path / "whole", judgments, 3, method, labels, **asked)
    for of in (1, 4):
        made = in_parts(tmp_path / f"{of}", of, judgments, 3, method, labels, **asked)
        assert made == expected
    best = read_table(tmp_path / "4" / "best_cuts.parquet").to_pandas().set_index("topic")
    assert best.loc["2", "note"] is not None


@pytest.mark.parametrize("of", [1, 3])
def test_topics_without_reference_and_documents_without_label(tmp_path, of):
    judgments = judged(7)
    labels = random_labels(3, judgments, 2)
    labels = labels.filter(pa.array(~np.isin(labels["topic"].to_numpy(False), ["1", "3", "7"])))
    asked = judgments, 2, "d2_ta", labels
    expected = as_ever(tmp_path / "whole", *asked, unjudged="non-relevant")
    assert in_parts(tmp_path / "parts", of, *asked, unjudged="non-relevant") == expected


@pytest.mark.parametrize("of", [1, 2, 5])
def test_expert_labels_over_a_pool(tmp_path, of):
    judgments = judged(6)
    source = random_labels(5, judgments, 4, share=0.6)
    pool = judgments.filter(pa.array(judgments["topic"].to_numpy(False) != "2"))
    labels = random_labels(3, judgments, 2)
    asked = source, 2, "d2_at", labels
    expected = as_ever(tmp_path / "whole", *asked, pool=pool)
    assert in_parts(tmp_path / "parts", of, *asked, pool=pool) == expected


@pytest.mark.parametrize("of", [1, 2, 4])
def test_a_grid_and_a_scale_without_steps_rest_on_all_topics(tmp_path, of):
    frame = judged(5).to_pandas()
    noise = np.random.default_rng(5).random(len(frame)) / 2
    continuous = pa.Table.from_pandas(frame.assign(value=frame["value"] + noise))
    scale = Scale.of({"range": [0, 11]})
    found = search(continuous, scale, 3, "tw1", options=alpha_options(grid=9))
    assert "only a grid of 9" in found.grid
    searched = []
    for number in range(1, of + 1):
        topics = SourceTopics.of(continuous, scale, part=(number, of))
        searched.append(searched_part(topics.plan(3, "tw1", options=alpha_options(grid=9)), None))
    (tmp_path / "parts").mkdir()
    whole = written_whole(tmp_path / "whole", found, None)
    assert written(tmp_path / "parts", searched, None) == whole


@pytest.mark.parametrize("of", [1, 2])
def test_one_topic(tmp_path, of):
    expected = as_ever(tmp_path / "whole", judged(1), 3, "h1_at", None)
    assert in_parts(tmp_path / "parts", of, judged(1), 3, "h1_at", None) == expected


def test_single_floats_and_row_groups(tmp_path, monkeypatch):
    monkeypatch.setattr("regrade.catalogue.arrow.MAX_DOUBLES", 100)
    asked = judged(7), 4, "h2", random_labels(3, judged(7), 4)
    expected = as_ever(tmp_path / "whole", *asked)
    assert in_parts(tmp_path / "three", 3, *asked) == expected
    # more values than one part may have: the same rows in smaller groups
    monkeypatch.setattr(parts, "MAX_VALUES", 500)
    monkeypatch.setattr(parts, "GROUP_VALUES", 7 * 50)
    one, three = (in_parts(tmp_path / f"{of}", of, *asked) for of in (1, 3))
    assert one == three != expected
    made = read_table(tmp_path / "3" / "alpha.parquet", "cuts/alpha")
    assert made.equals(read_table(tmp_path / "whole" / "alpha.parquet", "cuts/alpha"))
    groups = pq.ParquetFile(tmp_path / "3" / "alpha.parquet").metadata.num_row_groups
    assert groups == -(-made.num_rows // 48)


@pytest.mark.parametrize("of", [1, 3])
@pytest.mark.parametrize(("method", "said"), [("tw1", "the judgments of two"), ("h2", "no unit")])
def test_data_that_serve_no_method(tmp_path, method, said, of):
    frame = judged(4).to_pandas().drop_duplicates(["topic", "docno"]).assign(unit=None)
    alone = pa.Table.from_pandas(frame, preserve_index=False)
    alone = alone.set_column(alone.column_names.index("unit"), "unit", pa.nulls(len(frame), "str"))
    labels = random_labels(3, alone, 3) if CUT_METHODS[method].needs_reference else None
    asked = alone, 3, method, labels
    expected = as_ever(tmp_path / "whole", *asked)
    assert in_parts(tmp_path / "parts", of, *asked, required=False) == expected
    with pytest.raises(UnservedError, match=said):
        in_parts(tmp_path / "parts", of, *asked)


def test_a_part_alone_may_lack_what_the_method_needs(tmp_path):
    """Workers share documents in one topic only, which is in the other part."""
    frame = judged(4).to_pandas()
    alone = frame[frame["topic"] != "4"].drop_duplicates(["topic", "docno"])
    mixed = pa.Table.from_pandas(
        pd.concat([alone, frame[frame["topic"] == "4"]]), preserve_index=False
    )
    expected = as_ever(tmp_path / "whole", mixed, 3, "tw1", None)
    assert in_parts(tmp_path / "parts", 2, mixed, 3, "tw1", None) == expected


def test_errors_concern_the_whole_set(tmp_path):
    judgments = judged(6)
    labels = random_labels(3, judgments, 3)
    only = labels.filter(pa.array(labels["topic"].to_numpy(False) == "1"))
    for number in (1, 2):  # a part without a topic of the reference is none to complain of
        SourceTopics.of(judgments, S11, part=(number, 2)).plan(3, "d2_at", only)
    renamed = only.set_column(0, "topic", pa.array(["01"] * only.num_rows))
    with pytest.raises(MethodError, match="none of the source's topics"):
        SourceTopics.of(judgments, S11, part=(2, 2)).plan(3, "d2_at", renamed)
    with pytest.raises(ParameterError, match="part 3 of 2"):
        SourceTopics.of(judgments, S11, part=(3, 2))
    (tmp_path / "no.arrow").write_bytes(b"nothing")
    with pytest.raises(InputError, match="no part of a search"):
        read_part(tmp_path / "no.arrow")


def test_a_table_of_cuts_is_read_as_it_is_asked_for(tmp_path):
    labels = random_labels(3, judged(4), 3)
    as_ever(tmp_path, judged(4), 3, "d2_at", labels)
    path = tmp_path / "alpha.parquet"
    whole, lazy = read_table(path, "cuts/alpha").to_pandas(), PerCut(path, "cuts/alpha")
    assert lazy.columns == list(whole.columns)
    pd.testing.assert_series_equal(lazy["2"], whole["2"])
    pd.testing.assert_frame_equal(lazy[["mean", "c1"]], whole[["mean", "c1"]])
    best = read_table(tmp_path / "best_cuts.parquet").to_pandas()
    cut = single_cut(best)
    row = lazy.at(cut)
    assert row[["c1", "c2"]].iloc[0].to_dict() == {name: cut[name] for name in ("c1", "c2")}
    assert len(row) == 1 and row["mean"].iloc[0] == best["value"].iloc[-1]
    for selection in ("single", "per-topic"):
        of_row, of_whole = (of_topics(best, table, selection) for table in (row, whole))
        pd.testing.assert_series_equal(of_row, of_whole, check_names=False)
    assert lazy.at({"c1": np.nan, "c2": np.nan}).empty
    scale = Scale.of({"levels": 11})
    made, expected = (cut_groups(table, "d2_at", "R", scale, 5) for table in (lazy, whole))
    for name, table in expected.items():
        pd.testing.assert_frame_equal(made[name], table)
    with pytest.raises(InputError, match="its columns are"):
        PerCut(tmp_path / "best_cuts.parquet", "cuts/alpha")
    path.write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        PerCut(path, "cuts/alpha")


def test_topics_are_shared_out_evenly():
    names = [f"{n}" for n in range(10)]
    shares = [part_of(names, n, 4) for n in range(1, 5)]
    assert [name for share in shares for name in share] == names
    assert {len(share) for share in shares} == {2, 3}
    assert [len(part_of(names[:2], n, 3)) for n in (1, 2, 3)] == [0, 1, 1]
