"""Files that accidents have changed, and command lines that mean nothing: messages, no tracebacks.

`benchmarks/mutations.py` does the same with many more files.
"""

import gzip
import logging
import shlex

import numpy as np
import pytest
from click.testing import CliRunner

from regrade.command.app import app
from tests.mutations import EXAMPLES, mutated, tracebacks

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 b 1\n"
RUN = "1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n2 Q0 a 1 2 r\n2 Q0 b 2 1 r\n"
LINES = """
score q
score q runs -m ""
score q runs -m "AP,,"
score q runs -m "P@0"
score q runs -m "nDCG@10.5"
score q runs -m "P@99999999999999999999"
score runs q
score q emptydir
score q empty
score empty runs
score q bin
score bin runs
score q runs --scale 0
score q runs --scale a
score q runs --scale 0:0
score q runs --columns topic
score q runs --columns topic=x
score q runs --where a
score q runs --where a=
score q runs --missing maybe
score q runs --format xml
score q runs --out a.xyz
score q runs --out /nonexistent/a.csv
score q runs --out emptydir
score q runs --others cred
score q runs -m "NLRE(second=cred)@5"
score q "runs/*.none"
score q -
score - -
score irds:none runs
rank q runs
rank q runs --top 0
rank q runs --top -1
rank q runs --draws 0
rank q runs --draws -5
rank q runs --judges q
rank q runs --judges x=none
rank q runs --table none
compare q q
compare q q --runs runs --resamples 0
compare q q --runs runs --resamples -1
compare q q --runs runs --splits -1
compare q q --runs runs --test z
compare q q --runs runs --correction z
compare q q --documents none
compare q j.csv --runs runs
compare q runs/r
judges q
judges q j.csv
judges q a=
judges q =q
judges j.csv q
cut q
cut q --levels 1
cut q --levels 99
cut j.csv --levels 2 --resamples 0
cut j.csv --levels 2 --scale 2
cut j.csv --levels 0
cut j.csv --levels -3
ties runs --qrels none
ties q
unjudged q runs -m Foo
unjudged q runs -m ERR
leave-one-out q runs --depth 0
leave-one-out q runs --by nothing
leave-one-out q runs --groups q
pool runs --depth 0
pool runs --depth -4
pool q
pool runs --depth 2 --qrels bin
workers j.csv --reference bin
workers q
pdp q --preferences p
pdp q q --preferences p --format pair-winner
pairs p
pairs p --format none
pairs p --format winner-loser --method none
pairs p --format winner-loser --rescale topic
pairs p --format winner-loser --out o.q --rescale zzz
design q --relevant 9 --not-relevant 0
design q --relevant a --not-relevant 0
init q
init bin
init emptydir
init q runs --out q
run none.yaml
tables none
look none
look emptydir
look bin q runs
score q runs -m "nDCG(dcg=9)"
score q runs -m "AP(rel='x')"
score q runs -m "AP(rel=1"
score q runs --unranked x
score q q/x
score q ''
score '' runs
compare '' ''
look ''
design q --relevant 1 --not-relevant 0 --seed -1
design q --size 0
design q --partners -1
design q --share 2
design q --judges 0
score q runs --scale 2.5
score q runs --scale nan
score q runs --scale 1:nan
score q runs --scale 0:5:0
score q runs --scale 0:5:-1
score q runs --scale 9:1
score q runs --scale a,a
cut j.csv --levels 2 --seed -1
pdp q q --preferences p --format winner-loser --seed -1
rank q runs --top 9999999999999999999999
compare q q --runs runs --resamples 3 --splits 3 --fail-if never
score q runs/r runs/r
score q.gz runs
score j.csv:value=x runs
score j.csv:worker=worker runs
look q --json
"""


def test_mutated_files_have_messages_and_no_tracebacks(tmp_path):
    logging.disable(logging.CRITICAL)
    try:
        found = [(data, read, repr(error)) for data, read, error in tracebacks(tmp_path, 150, 7)]
    finally:
        logging.disable(logging.NOTSET)
    assert found == []


def test_mutations_differ_and_are_drawn_by_seed():
    rng = [np.random.default_rng(1) for _ in range(2)]
    one, again = ([mutated(EXAMPLES[0], each) for _ in range(30)] for each in rng)
    assert one == again
    assert len(set(one)) > 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("given")
    (root / "q").write_text(QRELS)
    (root / "q.gz").write_bytes(gzip.compress(QRELS.encode())[:30])
    (root / "runs").mkdir()
    (root / "runs" / "r").write_text(RUN)
    (root / "runs" / "s").write_text(
        RUN.replace(" r\n", " s\n").replace("2 Q0 a 1 2", "2 Q0 a 1 0")
    )
    (root / "j.csv").write_text("topic,docno,worker,value\n1,a,x,3\n1,b,x,0\n1,a,y,2\n1,b,y,1\n")
    (root / "p").write_text("1 a b\n2 b a\n")
    (root / "empty").write_text("")
    (root / "bin").write_bytes(np.random.default_rng(1).bytes(300))
    (root / "emptydir").mkdir()
    return root


@pytest.mark.parametrize("line", LINES.strip().splitlines())
def test_a_command_line_has_an_answer_or_a_message(line, folder, monkeypatch):
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, shlex.split(line), input="")
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    assert done.exit_code in (0, 1, 2, 3)
    if done.exit_code == 1:
        assert done.stderr.strip() or "look" in line
