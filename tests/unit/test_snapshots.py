"""Every file of sentences is compared by a test."""

from tests.snapshots import FOLDER, snapshots_compared


def test_no_snapshot_is_left_over():
    assert {path.stem for path in FOLDER.glob("*.txt")} == snapshots_compared().keys()
