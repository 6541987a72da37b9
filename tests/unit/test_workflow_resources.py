"""How much memory jobs ask for."""

import pytest

from regrade.workflow.resources import OF_TEXT, UNPACKED, megabytes, memory


@pytest.fixture
def files(tmp_path):
    sizes = {"a.parquet": 10_000_000, "b.txt": 3_000_000, "c.gz": 2_000_000}
    for name, size in sizes.items():
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
    return {name: str(tmp_path / name) for name in sizes}


def test_memory_grows_with_what_is_read(files):
    of = memory(1000)
    assert of(None, [], 1) == 1000
    assert of(None, [files["a.parquet"]], 1) == 1000 + 2
    assert memory(1000, OF_TEXT)(None, [files["b.txt"]], 1) == 1000 + 30
    assert memory(1000, OF_TEXT)(None, [files["c.gz"]], 1) == 1000 + 20 * UNPACKED


def test_a_job_that_is_tried_again_has_more(files):
    asked = [megabytes(1000, [files["a.parquet"]], attempt, 1) for attempt in (1, 2, 3)]
    assert asked == [1010, 1515, 2020]


def test_what_is_not_there_yet_counts_nothing(files, tmp_path):
    assert megabytes(1000, [str(tmp_path / "none"), files["a.parquet"]], 1, 1) == 1010
