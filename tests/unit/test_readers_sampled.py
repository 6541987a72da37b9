"""TREC's sampled judgments in five fields: strata, probabilities, prels."""

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.errors import InputError, MethodError, ParameterError
from regrade.readers.labels import read_sample
from tests.unit.test_estimates import MODEL, NAMES, PEOPLE, RUNS

STRATA = """\
1 0 a 1 2
1 0 b 1 0
1 0 c 2 -1
1 0 d 2 1
1 0 e 2 -1
1 0 f 2 -2
2 0 a 1 -1
2 0 b 1 0
"""
PROBABILITIES = "1 0 a 1 1.0\n1 0 b 0 0.25\n1 0 c -1 0.5\n2 0 a -2 0.125\n2 0 b 2 1e-3\n"
PRELS = "20001 en-1 0 1 0.25\n20001 en-2 2 1 1\n20002 en-3 1 1 0.001\n"


def rows(path, **how):
    """As both readers have them, the library's and the configuration's."""
    of = [regrade.read_sample(path, **how).table, read_sample(path, **how)]
    names = ["topic", "docno", "grade", "inclusion", "chosen"]
    one, other = ([tuple(row.values()) for row in t.select(names).to_pylist()] for t in of)
    assert one == other
    return one


def saved(folder, text):
    path = folder / "sampled"
    path.write_text(text)
    return path


def test_a_stratum_has_the_part_of_it_that_was_drawn(tmp_path):
    assert rows(saved(tmp_path, STRATA)) == [
        ("1", "a", 2, 1, True), ("1", "b", 0, 1, True), ("1", "c", None, 0.5, False),
        ("1", "d", 1, 0.5, True), ("1", "e", None, 0.5, False), ("1", "f", -2, 0.5, True),
        ("2", "a", None, 0.5, False), ("2", "b", 0, 0.5, True),
    ]  # fmt: skip


def test_gray_documents_were_drawn_and_have_no_label(tmp_path):
    assert rows(saved(tmp_path, PROBABILITIES)) == [
        ("1", "a", 1, 1, True), ("1", "b", 0, 0.25, True), ("1", "c", None, 0.5, True),
        ("2", "a", None, 0.125, True), ("2", "b", 2, 0.001, True),
    ]  # fmt: skip


def test_prels_are_of_one_method_or_of_those_that_are_named(tmp_path):
    assert rows(saved(tmp_path, PRELS)) == [
        ("20001", "en-1", 0, 0.25, True), ("20001", "en-2", 2, 1, True),
        ("20002", "en-3", 1, 0.001, True),
    ]  # fmt: skip
    several = saved(tmp_path, PRELS + "20002 en-4 1 0 0.5\n20002 en-5 0 2 0.5\n")
    for read in (regrade.read_sample, read_sample):
        with pytest.raises(InputError, match=r"(?s)by methods 0, 1, 2 .*--where method=2"):
            read(several)
    assert len(rows(several, where={"method": ["1", "2"]})) == 4
    assert len(rows(several, where={"method": "1"})) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 0 a 1 1\n1 0 b 2 1\n", "fifth field is 1 everywhere: a grade of each, or"),
        ("1 0 a good 1\n1 0 b 2 0\n", "its five fields have an unknown format"),
        ("1 0 a 1 0.5\n1 0 b 1 0\n", "its five fields have an unknown format"),
        ("1 0 a 1 0.5\n1 0 b 1 1.5\n", "its five fields have an unknown format"),
        ("1 d 0 1 0.5\n1 e 0 1 -0.5\n", "its five fields have an unknown format"),
        ("1 d 0 1 0.5\n1 e 0 1\n", "sampled:2: has 4 columns where there should be 5"),
        (
            "1 0 a 3 -1\n1 0 b 1 2\n",
            "sampled:1: stratum 3 of topic 1: none of 1 document was drawn",
        ),
        (PRELS.replace("0.001", "0"), "sampled:3: inclusion 0 is no probability"),
        (STRATA + "1 0 a 1 2\n", "sampled:9: docno 'a' stands in line 1 already"),
    ],
)
def test_what_is_none_of_them_is_refused(tmp_path, text, said):
    for read in (regrade.read_sample, read_sample):
        with pytest.raises(InputError) as refused:
            read(saved(tmp_path, text))
        assert said in str(refused.value)


def test_four_fields_are_labels_of_which_nobody_knows_how_they_were_chosen(tmp_path):
    assert len(regrade.read_sample(saved(tmp_path, "1 0 a 1\n1 0 b 0\n")).table) == 2


def stratified(seed):
    """Two strata in each topic, of the documents that runs rank high and of the others."""
    rng, lines = np.random.default_rng(seed), []
    for topic in dict.fromkeys(t for t, _ in NAMES):
        best = {d for run in RUNS.values() for d in sorted(run[topic], key=run[topic].get)[-8:]}
        for stratum, n in ((1, 8), (2, 4)):
            own = [d for t, d in NAMES if t == topic and (d in best) == (stratum == 1)]
            drawn = {*rng.choice(own, min(n, len(own)), replace=False)}
            lines += [f"{topic} 0 {d} {stratum} {PEOPLE[topic][d] if d in drawn else -1}\n"
                      for d in own]  # fmt: skip
    return "".join(lines)


def test_what_is_estimated_of_strata_is_what_all_labels_say(tmp_path):
    """The truth is within nearly all of the intervals, and without bias over draws."""
    truth = regrade.score(PEOPLE, RUNS, ["P(rel=2)@5"]).means()["P(rel=2)@5"]
    held, off = [], []
    for seed in range(12):
        path = saved(tmp_path, stratified(seed))
        how = {"scale": 4, "replays": 0}
        found = regrade.estimate(path, MODEL, RUNS, "P(rel=2)@5", **how)
        systems = found.systems.set_index("system").loc[truth.index]
        held.append(((systems["low"] <= truth) & (truth <= systems["high"])).mean())
        off.append((systems["value"] - truth).mean())
    assert np.mean(held) > 0.9
    assert abs(np.mean(off)) < 3 * np.std(off) / np.sqrt(12) + 0.005


def drawn_alone(seed, kind):
    """Lines of documents that were drawn, the more likely the higher runs rank them; their π."""
    rng, lines = np.random.default_rng(seed), []
    for topic, docno in NAMES:
        best = min(
            sorted(run[topic], key=run[topic].get, reverse=True).index(docno)
            for run in RUNS.values()
        )
        pi = round(min(1.0, 3 / (1 + best)), 4)
        if rng.random() < pi:
            grade = PEOPLE[topic][docno]
            lines.append(f"{topic} 0 {docno} {grade} {pi}\n" if kind == "probabilities"
                         else f"{topic} {docno} {grade} 1 {pi}\n")  # fmt: skip
    return "".join(lines)


def test_prels_and_probabilities_say_the_same(tmp_path):
    of = []
    for kind in ("probabilities", "prels"):
        path = saved(tmp_path, drawn_alone(1, kind))
        of.append(regrade.estimate(path, MODEL, RUNS, "P@10", scale=4, replays=0).pairs)
    pd.testing.assert_frame_equal(*of)


def test_what_is_estimated_of_drawn_documents_alone_is_what_all_labels_say(tmp_path):
    measures = ["P(rel=2)@10", "DCG@10"]
    truth = regrade.score(PEOPLE, RUNS, measures).means()
    held, off, how = [], [], {"scale": 4, "replays": 0}
    for seed in range(20):
        path = saved(tmp_path, drawn_alone(seed, "prels"))
        found = regrade.estimate(path, MODEL, RUNS, measures, **how)
        for measure, own in found.pairs.groupby("measure"):
            one, other = (truth[measure].loc[own[name]].to_numpy() for name in ("system", "other"))
            held.append(((own["low"] <= one - other) & (one - other <= own["high"])).mean())
        values = found.systems.set_index(["measure", "system"])["value"].unstack("measure")
        off.append((values / truth - 1).to_numpy().mean())
    assert np.mean(held) > 0.9
    assert abs(np.mean(off)) < 3 * np.std(off) / np.sqrt(20)
    assert found.labels["value"].isna().all()


def test_drawn_documents_alone_serve_sums_over_the_first_ranks(tmp_path):
    path = saved(tmp_path, drawn_alone(1, "prels"))
    for measures in ("nDCG@10", "AP", "RBP(p=0.8)"):
        with pytest.raises(
            MethodError, match=r"labels hold drawn documents alone, and .* rests on"
        ):
            regrade.estimate(path, MODEL, RUNS, measures, scale=4, replays=0)
    with pytest.raises(MethodError, match=r"alone, and shares of grades rest on .* give runs"):
        regrade.estimate(path, MODEL, scale=4, replays=0)
    with pytest.raises(ParameterError, match="these labels hold sampled documents only"):
        regrade.assign(RUNS, MODEL, 20, "P@10", after=path, scale=4)


def test_intervals_of_drawn_documents_alone_are_those_of_the_whole_file(tmp_path):
    """Where all that is known of others is added, they are as wide, but for chance."""
    drawn = [line.split() for line in drawn_alone(1, "probabilities").splitlines()]
    path = saved(tmp_path, drawn_alone(1, "probabilities"))
    alone = regrade.estimate(path, MODEL, RUNS, "P(rel=2)@10", scale=4, replays=0)
    rows = {(t, d): [t, d, float(pi), True, int(g)] for t, _, d, g, pi in drawn}
    for topic, docno in NAMES:
        best = min(sorted(run[topic], key=run[topic].get, reverse=True).index(docno)
                   for run in RUNS.values())  # fmt: skip
        pi = round(min(1.0, 3 / (1 + best)), 4)
        rows.setdefault((topic, docno), [topic, docno, pi, False, None])
    columns = ["topic", "docno", "inclusion", "chosen", "grade"]
    whole = pd.DataFrame(list(rows.values()), columns=columns)
    whole = regrade.estimate(whole, MODEL, RUNS, "P(rel=2)@10", scale=4, replays=0)
    of = [(one.pairs["high"] - one.pairs["low"]).mean() for one in (alone, whole)]
    assert of[0] == pytest.approx(of[1], rel=0.25)
    one, other = (of.systems.set_index("system")["value"] for of in (alone, whole))
    assert (one - other).abs().max() < 0.03
