"""The next pairs: each against a posterior that is computed anew before every choice."""

import itertools
import json
import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import special, stats
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import regrade
from regrade.choices import ASKING_POLICIES
from regrade.command.app import app
from regrade.errors import InputError, ParameterError
from regrade.kendall import tau_b
from regrade.preferences.asking import Asking, Topic, next_questions, places, topics_of
from regrade.preferences.posterior import posterior, recorded
from regrade.readers.preferences import read_preferences
from tests.unit.preferences_frames import wins

BY_STRENGTHS = ("uncertainty", "information", "top")


def answered(n=9, rows=14, seed=1, topic="1"):
    """Answers by strengths that fall with the document's number; not all pairs are asked."""
    rng = np.random.default_rng(seed)
    pairs = [rng.choice(n, 2, replace=False) for _ in range(rows)]
    won = [rng.random() < special.expit(0.5 * (j - i)) for i, j in pairs]
    return wins(*((f"d{i}", f"d{j}") if w else (f"d{j}", f"d{i}")
                  for (i, j), w in zip(pairs, won, strict=True)), topic=topic)  # fmt: skip


def topic_of(frame, documents=()):
    (one,) = recorded(frame)
    return Topic.of(one.topic, one, documents)


def worths(topic, chosen, policy, top, spread):
    """The worth of each open pair, all computed anew; chosen pairs are answered as expected."""
    n = len(topic.docnos)
    first, second = (list(ends) for ends in (topic.first, topic.second))
    won, lost = list(topic.wins), list(topic.losses)
    for i, j in chosen:
        now = posterior(n, first, second, won, lost, spread)
        share = special.expit(now.mean[i] - now.mean[j])
        first, second, won, lost = [*first, i], [*second, j], [*won, share], [*lost, 1 - share]
    now = posterior(n, first, second, won, lost, spread)
    done = {frozenset(pair) for pair in zip(first, second, strict=True)}
    found = {}
    for i, j in itertools.combinations(range(n), 2):
        if frozenset((i, j)) in done:
            continue
        variance = now.covariance[i, i] + now.covariance[j, j] - 2 * now.covariance[i, j]
        d = now.mean[i] - now.mean[j]
        if policy == "uncertainty":
            found[i, j] = -abs(d) / math.sqrt(1 + math.pi * variance / 8)
            continue
        share = special.expit(d)
        found[i, j] = math.log(1 + share * (1 - share) * variance) / 2
        if policy == "top" and n > top:
            ordered = sorted(now.mean, reverse=True)
            edge = (ordered[top - 1] + ordered[top]) / 2
            q = stats.norm.cdf((now.mean - edge) / np.sqrt(np.diag(now.covariance)))
            found[i, j] *= sum(q[k] * (1 - q[k]) for k in (i, j))
    return found


@pytest.mark.parametrize("policy", BY_STRENGTHS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_each_next_pair_is_worth_most_when_all_is_computed_anew(policy, seed):
    topic = topic_of(answered(seed=seed))
    pairs = topic.next_pairs(8, Asking(policy=policy, top=3, spread=1.7))
    for place, (i, j) in enumerate(pairs.tolist()):
        found = worths(topic, pairs[:place].tolist(), policy, 3, 1.7)
        best = max(found.values())
        assert found[i, j] == pytest.approx(best, rel=1e-7, abs=1e-9), place


def test_information_is_what_the_determinant_of_the_curvature_gains():
    """By brute force: the first pair takes most entropy from all strengths together."""
    topic = topic_of(answered())
    n = len(topic.docnos)
    now = posterior(n, topic.first, topic.second, topic.wins, topic.losses, 2.0)
    curvature = np.linalg.inv(now.covariance)
    asked = {
        tuple(sorted(p)) for p in zip(topic.first.tolist(), topic.second.tolist(), strict=True)
    }
    gains = {}
    for i, j in set(itertools.combinations(range(n), 2)) - asked:
        a = np.zeros(n)
        a[i], a[j] = 1, -1
        share = special.expit(now.mean[i] - now.mean[j])
        more = curvature + share * (1 - share) * np.outer(a, a)
        gains[i, j] = np.linalg.slogdet(more)[1] - np.linalg.slogdet(curvature)[1]
    first = tuple(topic.next_pairs(1, Asking())[0].tolist())
    assert gains[first] == pytest.approx(max(gains.values()), rel=1e-9)


def test_even_asks_documents_that_were_shown_least():
    topic = topic_of(answered(n=8, rows=10))
    shown = Counter()
    for i, j, times in zip(topic.first, topic.second, topic.wins + topic.losses, strict=True):
        shown[i] += times
        shown[j] += times
    asked = {frozenset(pair) for pair in zip(topic.first, topic.second, strict=True)}
    for i, j in topic.next_pairs(10, Asking(policy="even")).tolist():
        can = [p for p in itertools.combinations(range(8), 2) if frozenset(p) not in asked]
        assert shown[i] + shown[j] == min(shown[a] + shown[b] for a, b in can)
        asked.add(frozenset((i, j)))
        shown[i] += 1
        shown[j] += 1


def test_random_takes_each_open_pair_as_often():
    """Chi-squared over seeds, of the pairs that are chosen first."""
    topic = topic_of(answered(n=6, rows=5))
    found = Counter(
        tuple(topic.next_pairs(1, Asking(policy="random", seed=seed))[0]) for seed in range(2000)
    )
    assert len(found) == topic.n_open
    assert stats.chisquare(list(found.values())).pvalue > 0.001


@pytest.mark.parametrize("policy", ASKING_POLICIES)
def test_all_open_pairs_are_asked_once_and_no_answered_one(policy):
    topic = topic_of(answered(n=7, rows=9), ["new"])
    pairs = topic.next_pairs(topic.n_open, Asking(policy=policy, top=2))
    asked = {frozenset(pair) for pair in zip(topic.first, topic.second, strict=True)}
    found = [frozenset(pair) for pair in pairs.tolist()]
    assert len(set(found)) == len(found) == 28 - len(asked)
    assert not asked & set(found)


def test_parts_that_no_pair_joins_are_joined_first():
    """Two chains of four and a document that nobody was asked about: two pairs join them all."""
    frame = wins(*((f"{c}{i}", f"{c}{i + 1}") for c in "ab" for i in range(3)))
    topic = topic_of(frame, ["c"])
    before = np.column_stack([topic.first, topic.second])
    after = np.vstack([before, topic.next_pairs(2, Asking())])
    parts = [
        connected_components(coo_array((np.ones(len(p)), p.T), (9, 9)))[0] for p in (before, after)
    ]
    assert parts == [3, 1]


# --- which topics, which sides ----------------------------------------------------------------


def test_topics_with_fewest_questions_per_document_come_first():
    many, few = answered(n=6, rows=12, topic="many"), answered(n=6, rows=3, topic="few")
    topics = topics_of([*recorded(many), *recorded(few)], {"new": ["x", "y", "z", "w"]})
    found = places(topics, 12)
    given, documents = Counter(), [len(t.docnos) for t in topics]
    for t in found:
        so_far = [(one.n_answers + given[k]) / documents[k] for k, one in enumerate(topics)]
        can = [k for k, one in enumerate(topics) if given[k] < one.n_open]
        assert so_far[t] == min(so_far[k] for k in can)
        given[t] += 1
    names = [topics[t].topic for t in found]
    assert names[0] == "new"
    assert "many" not in names[:6]


def test_per_topic_asks_each_the_same():
    topics = topics_of(recorded(answered(n=6, rows=3)), {"2": ["a", "b", "c"], "3": ["z"]})
    found = Counter(topics[t].topic for t in places(topics, 4, per_topic=True))
    assert found == {"1": 4, "2": 3}  # three documents have three pairs, one has none


def test_sides_are_balanced_and_the_order_of_answers_changes_nothing():
    frame = answered(n=8, rows=10)
    asked = next_questions([topic_of(frame)], 12, Asking())
    left, right = (Counter(asked[side]) for side in ("left", "right"))
    assert all(abs(left[d] - right[d]) <= 1 for d in {*left, *right})
    shuffled = frame.sample(frac=1, random_state=3)
    assert next_questions([topic_of(shuffled)], 12, Asking()).equals(asked)


@pytest.mark.slow
def test_batches_by_information_learn_more_of_an_order_than_random_ones():
    """A known truth: twelve documents, five batches of six answers; 40 worlds."""
    found = {policy: [] for policy in ("information", "random")}
    for policy, world in itertools.product(found, range(40)):
        rng = np.random.default_rng(world)
        true = rng.normal(0, 1.5, 12)
        docs = [f"d{i:02}" for i in range(12)]
        rows = []
        for _batch in range(5):
            topics = topics_of(recorded(wins(*rows)) if rows else (), {"1": docs})
            how = Asking(policy=policy, spread=1.5, seed=world)
            for row in next_questions(topics, 6, how).itertuples():
                i, j = docs.index(row.left), docs.index(row.right)
                is_left = rng.random() < special.expit(true[i] - true[j])
                rows.append((row.left, row.right) if is_left else (row.right, row.left))
        (topic,) = topics_of(recorded(wins(*rows)), {"1": docs})
        known = posterior(12, topic.first, topic.second, topic.wins, topic.losses, 1.5)
        found[policy].append(tau_b(true, known.mean))
    gained = np.array(found["information"]) - np.array(found["random"])
    assert gained.mean() > 2 * gained.std(ddof=1) / math.sqrt(len(gained)) > 0


# --- the library's call -----------------------------------------------------------------------


def test_answers_to_the_next_pairs_are_read_with_those_before():
    before = {"topic": ["1", "1"], "winner": ["a", "b"], "loser": ["b", "c"]}
    asked = regrade.next_pairs(before, 3, documents={"topic": ["1"], "docno": ["d"]})
    assert asked.topics.to_dict("records") == [
        {"topic": "1", "documents": 4, "answers": 2, "open": 4, "next": 3}
    ]
    frame = asked.to_frame()
    assert set(frame["preferred"]) == {""}
    with pytest.raises(InputError, match="is empty"):
        regrade.pairs(frame)
    frame["preferred"] = "tie"
    assert len(regrade.read_preferences(frame)) == 3


def test_labels_and_tables_without_grades_name_documents(tmp_path):
    answers = {"topic": ["1"], "winner": ["a"], "loser": ["b"]}
    qrels, table = tmp_path / "pool.qrels", tmp_path / "pool.csv"
    qrels.write_text("1 0 c 1\n2 0 x 0\n2 0 y 2\n")
    table.write_text("query_id,doc_id\n1,c\n2,x\n2,y\n")
    grades = {"1": {"c": 1}, "2": {"x": 0, "y": 2}}
    crowd = {
        "topic": ["1", "1", "2", "2"], "docno": list("ccxy"), "worker": list("vwvv"),
        "value": [1, 0, 0, 2],
    }  # fmt: skip
    for source in (
        qrels, str(table), regrade.read_qrels(qrels), grades,
        {topic: dict.fromkeys(of) for topic, of in grades.items()},
        {"1": ["c", "c"], 2: {"x", "y"}},
        regrade.read_judgments(crowd),
    ):  # fmt: skip
        asked = regrade.next_pairs(answers, 10, documents=source)
        assert asked.topics[["documents", "next"]].values.tolist() == [[3, 2], [2, 1]]
        assert {*asked.pairs["left"], *asked.pairs["right"]} == {*"abcxy"}


def test_scored_documents_are_documents():
    """Those of other pairs, which `fit_scores` has made labels of."""
    scored = regrade.fit_scores({"topic": ["1"], "winner": ["a"], "loser": ["c"]})
    answers = {"topic": ["1"], "winner": ["a"], "loser": ["b"]}
    asked = regrade.next_pairs(answers, 10, documents=scored)
    assert {frozenset(pair) for pair in asked.pairs[["left", "right"]].values.tolist()} == {
        frozenset("ac"), frozenset("bc"),
    }  # fmt: skip


def test_what_has_no_pair_left_is_said():
    answers = {"topic": ["1"], "winner": ["a"], "loser": ["b"]}
    asked = regrade.next_pairs(answers, 2, documents={"topic": ["2"], "docno": ["x"]})
    assert asked.pairs.empty
    assert list(asked.pairs.columns) == ["topic", "left", "right"]
    assert asked.summary() == (
        "There is no pair for 2: only one document. All pairs are answered for 1."
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"policy": "tournament"}, "can only be replayed: choose one of random, even"),
        ({"policy": "infomation"}, "did you mean 'information'"),
        ({"top": 0}, "top is 0"),
        ({"polcy": "top"}, "no option 'polcy' of the next pairs; did you mean 'policy'"),
        ({"seed": -1, "documents": {"1": {"c": 0}}}, "seed is -1: give a whole number from 0"),
        ({"per_topic": 2}, "per_topic is 2: give True or False"),
        ({"documents": "irds:x"}, r"irds:x .*pip install regrade\[datasets\]"),
    ],
)
def test_options_are_checked(wrong, said, monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(ParameterError, match=said):
        regrade.next_pairs({"topic": ["1"], "winner": ["a"], "loser": ["b"]}, 1, **wrong)
    with pytest.raises(ParameterError, match="count is 0: give 1 or more"):
        regrade.next_pairs({"topic": ["1"], "winner": ["a"], "loser": ["b"]}, 0)
    for count in ("3", 1.5, None):
        with pytest.raises(ParameterError, match=f"count is {count!r}: give a whole number"):
            regrade.next_pairs({"topic": ["1"], "winner": ["a"], "loser": ["b"]}, count)


# --- the command ------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def ran(*words, given=None):
        done = CliRunner().invoke(app, ["pairs", *words], input=given)
        return done.exit_code, done.stdout, done.output

    return ran


@pytest.mark.parametrize(
    ("text", "options", "header"),
    [
        ("1 a b\n1 b c\n1 a d\n", ["--format", "winner-loser"], "topic,left,right,preferred"),
        (
            "1 a b a\n1 b c tie\n1 d a a\n",
            ["--format", "pair-winner"],
            "topic,left,right,preferred",
        ),
        (
            "q,A,B,won\n1,a,b,a\n1,b,c,tie\n1,a,d,left\n",
            ["--columns", "topic=q,left=A,right=B,winner=won"],
            "q,A,B,won",
        ),
    ],
)
def test_the_file_of_next_pairs_is_read_beside_the_answers_before(run, text, options, header):
    Path("before.csv").write_text(text)
    code, said, _ = run("before.csv", *options, "--next", "2", "--out", "next.csv")
    assert code == 0
    assert said.splitlines()[0] == "The next 2 pairs to ask, from 1 topic (policy: information)."
    lines = Path("next.csv").read_text().splitlines()
    assert lines[0] == header
    assert len(lines) == 3
    # one that is not filled in is told, with its line and what mends it
    Path("next.csv").write_text("\n".join([lines[0], f"{lines[1]}left", lines[2]]) + "\n")
    code, _, said = run("before.csv", "next.csv", *options)
    assert code == 1
    assert "next.csv:3" in said
    assert "Fill it in, or leave such rows out (missing='drop', --missing drop)." in said
    # or is left out, and asked about again
    code, said, _ = run("before.csv", "next.csv", *options, "--missing", "drop")
    assert code == 0
    assert "4 preferences for 4 pairs of 4 documents" in said
    told = json.loads(
        run("before.csv", "next.csv", *options, "--missing", "drop", "--next", "9", "--json")[1]
    )
    empty = set(lines[2].split(",")) & {*"abcd"}
    assert empty in [{pair["left"], pair["right"]} for pair in told["pairs"]]
    # as the command says to go on, with the answers filled in
    Path("next.csv").write_text(
        "\n".join([lines[0], *(f"{line}left" for line in lines[1:])]) + "\n"
    )
    code, said, _ = run("before.csv", "next.csv", *options)
    assert code == 0
    assert "5 preferences for 5 pairs of 4 documents" in said
    code, said, _ = run("before.csv", "next.csv", *options, "--next", "9", "--json")
    told = json.loads(said)
    assert told["topics"] == [{"topic": "1", "documents": 4, "answers": 5, "open": 1, "next": 1}]


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_names_that_are_formulas_are_none_in_the_file_and_themselves_when_read(run, ending):
    names = ["=1+1", "+x", "-x", "@sum", "'=x", "''-y", "'quoted", "a=b"]
    before = "".join(f"=t {one} {other}\n" for one, other in itertools.pairwise(names))
    Path("before.txt").write_text(before)
    lines, out = ["before.txt", "--format", "winner-loser"], f"next.{ending}"
    assert run(*lines, "--next", "99", "--out", out)[0] == 0
    mark = {"csv": ",", "tsv": "\t"}[ending]
    cells = [line.split(mark) for line in Path(out).read_text().splitlines()]
    assert len(cells) == 1 + 8 * 7 / 2 - 7
    assert not any(cell.startswith(("=", "+", "-", "@")) for line in cells for cell in line)
    # of three answers one is a side, the others are the document as the file has it
    for i, cell in enumerate(cells[1:]):
        cell[3] = "left" if i % 3 == 0 else cell[i % 3]
    Path(out).write_text("".join(f"{mark.join(line)}\n" for line in cells))
    asked = regrade.next_pairs("before.txt", 99, format="winner-loser").pairs
    pairs = [tuple(row) for row in asked[["topic", "left", "right"]].to_numpy().tolist()]
    won = [1 if i % 3 == 2 else -1 for i in range(len(pairs))]
    expected = dict(zip(pairs, won, strict=True))
    of_workflow = read_preferences(out, format=ending)
    for table in (regrade.read_preferences(out), of_workflow):
        rows = table.select(["topic", "left", "right", "strength"]).to_pylist()
        assert {(r["topic"], r["left"], r["right"]): r["strength"] for r in rows} == expected
    code, said, _ = run(*lines[:1], out, *lines[1:])
    assert code == 0
    assert "28 preferences for 28 pairs of 8 documents (1 topic)" in said


def test_options_that_do_not_go_together_are_refused(run):
    Path("a.txt").write_text("1 a b\n")
    how = ["a.txt", "--format", "winner-loser"]
    for more, said in (
        (
            ["--next", "2", "--table", "scores"],
            "--next chooses pairs to ask, --table shows known results: give one",
        ),
        (["--documents", "a.txt"], "--documents are candidates for --next: give a number of pairs"),
        (
            ["--next", "2", "--out", "x.csv", "--rescale", "topic"],
            "--rescale turns scores into labels: name the file",
        ),
    ):
        code, _, output = run(*how, *more)
        assert code == 1
        assert said in output


def test_answers_of_several_files_are_looked_at_for_copies(run):
    """Files have dictionaries of their own."""
    for name, rows in (("one.csv", "1,a,b,a,w\n1,b,c,b,w\n"), ("other.csv", "2,d,e,d,v\n" * 2)):
        Path(name).write_text(f"topic,left,right,winner,worker\n{rows}")
    code, _, said = run("one.csv", "other.csv")
    assert code == 0
    assert "1 of 4 preferences repeat an earlier answer of the same worker in all columns" in said
