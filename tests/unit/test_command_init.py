"""What `regrade init` writes for any kind of files, the workflow takes, and reads."""

import logging

import pytest
import yaml

from regrade.command.init import configuration
from regrade.errors import RegradeError
from regrade.readers.judgments import read_judgments
from regrade.readers.preferences import read_preferences
from regrade.readers.qrels import read_qrels
from regrade.readers.runs import read_runs
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score
from tests.unit.given_kinds import KINDS, REFUSED
from workflow.collection import Collection
from workflow.config import complete
from workflow.sets import KINDS as OF_SETS
from workflow.sets import reading

READERS = {"qrels": read_qrels, "judgments": read_judgments, "preferences": read_preferences}


def laid(files, folder):
    """The files, written; their paths as a user gives them."""
    for name, held in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(held if isinstance(held, bytes) else held.encode())
    return sorted({str(folder / name.split("/")[0]) for name in files})


def test_there_are_enough_kinds():
    assert len(KINDS) >= 30


@pytest.mark.parametrize(("files", "said"), KINDS.values(), ids=KINDS)
def test_what_init_writes_the_workflow_takes_and_reads(files, said, tmp_path, caplog):
    caplog.set_level(logging.ERROR)
    paths = laid(files, tmp_path)
    if said.startswith(REFUSED):
        with pytest.raises(RegradeError) as refused:
            configuration(paths, "mine")
        assert said.removeprefix(REFUSED) in str(refused.value)
        return
    text = configuration(paths, "mine")
    assert said in text
    config = complete(yaml.safe_load(text))
    collection = Collection("mine", config)
    collection.check_files()
    ranked = None
    if collection.has_runs:
        ranked = RankedLists.from_table(read_runs(collection.run_files))
    for kind in OF_SETS:
        for name, options in collection.options[kind].items():
            how = reading(kind, options)
            table = READERS[kind](options["file"], scale=collection.scale(name), **how)
            assert len(table)
            if ranked is not None and kind == "qrels":
                measures = collection.measures(name)[0]
                every = ranked.with_topics(set(table["topic"].to_pylist()))
                highest = collection.scale(name).high
                score(every, Judged.from_table(table, every), measures, max_grade=highest)


def test_a_real_crowds_file_of_several_scales(real_data):
    folder = real_data / "uc3m2011"
    files = [str(folder / name) for name in ("judgments.tsv.gz", "nist-gold.qrels")]
    collection = Collection("mine", complete(yaml.safe_load(configuration(files, "mine"))))
    held = {}
    for name, options in collection.judgments.items():
        how = reading("judgments", options)
        held[name] = read_judgments(options["file"], scale=collection.scale(name), **how)
    assert {name: len(table) for name, table in held.items()} == {
        "judgments-S3": 2175,  # accepted, of run 1
        "judgments-S101": 2140 + 2175,  # of runs 2 and 3, whose units have the same numbers
    }
    units = held["judgments-S101"].select(["topic", "worker", "unit"]).to_pandas()
    assert len(units.drop_duplicates()) == len(held["judgments-S101"]) / 5
    assert list(collection.transformations) == ["judgments-S101-to-3"]
    # without runs: every way to label
    (swept,) = collection.label_sweeps.values()
    assert swept["baseline"]["labels"] == "judgments-S101-to-3 equal_widths"
    assert swept["baseline"]["reference"] == "nist-gold"
