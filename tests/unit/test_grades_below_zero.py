"""Grades below 0: refused where they mean nothing, wherever scores are made; TREC's junk aside."""

import numpy as np
import pytest
import pytrec_eval
from click.testing import CliRunner
from pandas.testing import assert_frame_equal

import regrade
from regrade import formulas
from regrade.command.app import app
from regrade.errors import ParameterError, RegradeError
from regrade.measures import MEASURES, parse
from regrade.run_arrays import Judged
from regrade.scales import Scale
from regrade.scoring import score
from regrade.uncertainty.ranges import exact_ranges
from regrade.workflow.config import ConfigError
from tests.unit.test_collection import built, own, refusal

STRENGTHS = {"1": {"a": -0.5, "b": 2.0, "c": 0.25}, "2": {"a": 1.5, "b": -1.25, "d": 0.75}}
JUNK = {"1": {"a": -2, "b": 2, "c": 0}, "2": {"a": 1, "b": -1, "d": 1}}
RUN = {"1": {"a": 3, "b": 2, "c": 1}, "2": {"b": 3, "a": 2, "x": 1}}

OF_GRADES = [
    *("AP", "P@2", "R@2", "F", "Rprec", "RR", "Success@2", "Bpref", "NCP(gamma=0.9)", "DCG"),
    *("infAP", "Accuracy", "Compat", "NERR8@2", "NERR9@2", "NERR10", "NERR11", "BPM@2"),
    "NumRel",
    *("SetP", "SetR", "SetF", "SetAP", "IPrec@0.5"),
    *("nDCG", "nDCG(dcg='exp-log2')", "nDCG@2", "Q", "ERR", "nERR", "ERR(max_rel=3)"),
    *("ERR(max_rel='topic')", "SDCG@2", "RBP", "RBP(dcg='exp-log2')", "INSQ", "INST"),
    *("Bpref(rel=0.5)", "AP(rel=0.5,judged_only=True)", "nDCG(judged_only=True)"),
    "nDCG(gains={-0.5:0})",
]
OF_RELEVANT = [
    "NumRet(rel=1)",
    *("AP(rel=0.5)", "P(rel=0.5)@2", "R(rel=0.5)@2", "RR(rel=0.5)", "RBP(rel=0.5)"),
    *("INST(rel=0.5)", "SDCG(rel=0.5)@2", "Rprec(rel=-0.5)"),
]
OF_SETS = {
    name: definition for name, definition in MEASURES.items() if "second" in definition.takes
}


def test_every_measure_is_looked_at():
    looked_at = {parse(m).name for m in OF_GRADES} | OF_SETS.keys() | {"Judged", "Unj", "NumRet"}
    assert looked_at == MEASURES.keys()


def test_what_is_judged_has_a_share_whatever_the_grades():
    found = regrade.score(STRENGTHS, {"mine": RUN}, ["Judged@2"]).means()
    assert found.iloc[0, 0] == np.mean(
        [
            np.mean([d in STRENGTHS[t] for d in sorted(run, key=run.get)[::-1][:2]])
            for t, run in RUN.items()
        ]
    )


@pytest.mark.parametrize("measure", OF_GRADES)
def test_a_measure_that_has_no_meaning_for_them_is_refused(measure):
    said = r"\(topic 2, document b\) holds -1.25: shift or rescale .*\(rel=0.5\)"
    with pytest.raises(RegradeError, match=f"takes no grades below 0 .* qrels {said}"):
        regrade.score(STRENGTHS, {"mine": RUN}, [measure])
    grades = np.array([value for of_topic in STRENGTHS.values() for value in of_topic.values()])
    with pytest.raises(ParameterError, match=r"holds -1\.25"):
        formulas.check_grades(parse(measure), grades)


@pytest.mark.parametrize("measure", OF_RELEVANT)
def test_which_documents_are_relevant_can_be_said_of_any_numbers(measure):
    lowest = parse(measure).relevant_from
    binary = {t: {d: int(g >= lowest) for d, g in own.items()} for t, own in STRENGTHS.items()}
    plain = measure.replace(f"rel={lowest:g}", "rel=1")
    found = regrade.score(STRENGTHS, {"mine": RUN}, [measure]).means()
    expected = regrade.score(binary, {"mine": RUN}, [plain]).means()
    assert found.to_numpy() == pytest.approx(expected.to_numpy(), abs=0)


def test_gains_that_are_listed_for_all_of_them_are_meant():
    signed = {"1": {"a": -3, "b": 2, "c": 0}, "2": {"a": 1, "b": -1, "d": 1}}
    shown = {t: {d: {-3: 1, -1: 0}.get(g, g) for d, g in own.items()} for t, own in signed.items()}
    found = regrade.score(signed, {"mine": RUN}, ["nDCG(gains={-3:1,-1:0})"]).means()
    assert found.iloc[0, 0] == regrade.score(shown, {"mine": RUN}, ["nDCG"]).means().iloc[0, 0]
    with pytest.raises(RegradeError, match="holds -3"):
        regrade.score(signed, {"mine": RUN}, ["nDCG(gains={-1:0})"])


def test_trecs_junk_has_no_gain_as_in_trec_eval(caplog):
    names = {"AP": "map", "nDCG": "ndcg", "RR": "recip_rank", "Bpref": "bpref", "P@5": "P_5"}
    found = regrade.score(JUNK, {"mine": RUN}, [*names, "RBP", "ERR"]).to_frame()
    evaluator = pytrec_eval.RelevanceEvaluator(JUNK, {"map", "ndcg", "recip_rank", "bpref", "P_5"})
    values = found.set_index(["topic", "measure"])["value"]
    for topic, expected in evaluator.evaluate(RUN).items():
        for ours, theirs in names.items():
            assert values[topic, ours] == pytest.approx(expected[theirs])
    assert "qrels: 2 of 6 grades are -2 and -1: they count as TREC's junk" in caplog.text
    with pytest.raises(RegradeError, match="holds -3"):
        regrade.score({**JUNK, "1": {"a": -3, "b": 2}}, {"mine": RUN}, ["nDCG"])


@pytest.mark.parametrize("name", OF_SETS)
def test_measures_of_several_sets_refuse_them_in_each(name):
    fine = {t: {d: max(0, g) for d, g in own.items()} for t, own in JUNK.items()}
    ranked = regrade.read_runs({"mine": RUN}).ranked
    judged = {
        key: Judged.from_table(regrade.read_qrels(of).table, ranked)
        for key, of in (("fine", fine), ("signed", STRENGTHS))
    }
    parts = "measure=nDCG," if "measure" in MEASURES[name].takes else ""
    measure = f"{name}({parts}second=other)"
    assert np.isfinite(
        score(ranked, judged["fine"], [measure], others={"other": judged["fine"]}).values
    ).all()
    for first, second in (("fine", "signed"), ("signed", "fine")):
        with pytest.raises(ParameterError, match="takes no grades below 0"):
            score(ranked, judged[first], [measure], others={"other": judged[second]})


def test_they_are_refused_by_all_that_scores():
    runs = {"mine": RUN, "other": {"1": {"c": 1}, "2": {"d": 1}}}
    fine = {t: {d: g + 2 for d, g in own.items()} for t, own in STRENGTHS.items()}
    said = r"takes no grades below 0 .* \(topic 2, document b\) holds -1.25"
    for call in (
        lambda: regrade.compare(fine, STRENGTHS, runs, "nDCG", resamples=2, splits=2),
        lambda: regrade.compare(STRENGTHS, fine, runs, "AP", resamples=2, splits=2),
        lambda: regrade.ties(runs, STRENGTHS, "nDCG"),
        lambda: regrade.leave_one_out(STRENGTHS, runs, 1, measures="nDCG"),
    ):
        with pytest.raises(RegradeError, match=said):
            call()
    with pytest.raises(RegradeError, match="a reference for 2 levels has grades 0 to 1"):
        regrade.find_cuts(fine, 2, {"1": {"a": -3, "b": 1}, "2": {"a": 0}})
    ranked = regrade.read_runs(runs).ranked
    judged = Judged.from_table(regrade.read_qrels(STRENGTHS).table, ranked)
    with pytest.raises(ParameterError, match=r"holds -1\.25"):
        exact_ranges(ranked, judged, ["nDCG@2"], levels=[0, 1, 2])


def test_a_scale_with_numbers_below_0_may_be_cut():
    cuts = regrade.find_cuts(STRENGTHS, 2, {"1": {"a": 0, "b": 1, "c": 0}, "2": {"a": 1, "b": 0}})
    assert cuts.best.alpha == 1
    levels = cuts.apply()
    assert np.isfinite(regrade.score(levels, {"mine": RUN}, "nDCG AP").means().to_numpy()).all()


def signed_set(scale, measures, **options):
    qrels = {"S": {"file": "f", **scale}, "TR2": {"file": "g", "levels": 2}}
    return own(runs="f", qrels=qrels, judgments={}, measures=measures, **options)


def test_the_workflow_refuses_them_before_any_job():
    scale = {"range": [-3.5, 4]}
    served, reasons = built(signed_set(scale, ["nDCG", "AP", "AP(rel=0.5)"])).measures("S")
    assert served == ["AP(rel=0.5)"]
    assert all("takes no grades below 0" in r and "S holds -3.5" in r for r in reasons.values())
    assert built(signed_set(scale, ["nDCG", "AP(rel=0.5)"])).measures("TR2")[1] == {}
    said = refusal(signed_set(scale, ["nDCG"]))
    assert "own.measures: S cannot be scored by any of them: nDCG takes no grades below 0" in said
    compared = signed_set(
        scale, ["AP(rel=0.5)"], compare={"pairs": [["TR2", "S"]], "measures": ["nDCG"]}
    )
    assert "own.compare.measures: nDCG takes no grades below 0" in refusal(compared)
    ties = signed_set(
        scale, ["AP(rel=0.5)"], ties={"qrels": "S", "measures": ["AP"], "ranges": ["AP(rel=0.5)"]}
    )
    assert "own.ties.measures: AP takes no grades below 0" in refusal(ties)


@pytest.mark.parametrize(
    ("scale", "served"),
    [({"values": [-2, 0, 1, 2]}, True), ({"values": [-2, -1.5, 0]}, False),
     ({"values": [-3, 0, 1]}, False), ({"range": [-2, 2]}, False), ({"levels": 3}, True)],
)  # fmt: skip
def test_a_scale_tells_junk_from_numbers(scale, served):
    assert bool(parse("nDCG").why_not_on(Scale.of(scale), "S")) is not served
    if not served:
        with pytest.raises(ConfigError, match="takes no grades below 0"):
            built(signed_set(scale, ["nDCG"]))


LABELS = {str(t): {f"d{n}": (-2, -1, 0, 1, 2, 0)[(n + t) % 6] for n in range(12)} for t in range(4)}
CLEAN = {topic: {d: max(g, 0) for d, g in of.items()} for topic, of in LABELS.items()}
MODEL = {t: {d: (g + (int(d[1:]) % 5 == 0)) % 3 for d, g in of.items()} for t, of in CLEAN.items()}
FINE = {t: {d: g / 2 + int(d[1:]) / 99 for d, g in of.items()} for t, of in MODEL.items()}


@pytest.mark.parametrize(
    ("asked", "table"),
    [
        (lambda people: regrade.compare(people, MODEL), "agreement"),
        (lambda people: regrade.compare(MODEL, people), "confusion"),
        (lambda people: regrade.judges(people, {"m": MODEL, "n": FINE}), "agreement"),
        (lambda people: regrade.judges(MODEL, {"p": people, "n": FINE}), "agreement"),
        (lambda people: regrade.calibrate(people, {"n": FINE}), "maps"),
        (lambda people: regrade.find_cuts(FINE, 3, people), None),
    ],
)
def test_junk_is_level_0_wherever_labels_are_compared(asked, table):
    given, clean = (asked(regrade.read_qrels(of, name="people")) for of in (LABELS, CLEAN))
    held = (one.tables[table] if table else one.apply().to_frame() for one in (given, clean))
    assert_frame_equal(*held)
    told = ": 16 rows with grade -2 and -1 (TREC's junk), read as 0."
    assert told in str(given.summary())
    assert "junk" not in str(clean.summary())


def test_what_is_no_junk_stays_as_it_is():
    strengths = regrade.read_qrels(STRENGTHS)
    assert strengths.on_levels() is strengths
    stated = regrade.read_qrels(JUNK, scale=[-2, -1, 0, 1, 2])
    assert stated.on_levels() is stated
    assert regrade.read_qrels({"1": {"a": -1}}).on_levels().values.tolist() == [-1]


# what they mean

SAMPLED = {
    str(t): {f"d{n}": (-1, 1, 0, -1, -1, 2, -1)[(3 * n + t * n * n) % 7] for n in range(40)}
    for t in range(1, 9)
}
SYSTEMS = {
    name: {t: {f"d{n}": float((n * k + int(t)) % 41) for n in range(41)} for t in SAMPLED}
    for name, k in (("one", 7), ("two", 16))
}
JUDGED = {t: {d: g for d, g in of.items() if g >= 0} for t, of in SAMPLED.items()}
AS_ZERO = {t: {d: max(g, 0) for d, g in of.items()} for t, of in SAMPLED.items()}
COUNTING = ["Judged@5", "Unj@5", "AP", "P@5", "nDCG@5", "RBP", "Bpref", "nDCG(judged_only=True)@5"]


def sources(folder, labels):
    """The same labels as a dict, as lines and as named columns."""
    rows = [(t, d, g) for t, of in labels.items() for d, g in of.items()]
    (folder / "q.qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g in rows))
    columns = "topic,docno,grade\n" + "".join(f"{t},{d},{g}\n" for t, d, g in rows)
    (folder / "q.csv").write_text(columns)
    return labels, folder / "q.qrels", folder / "q.csv"


@pytest.mark.parametrize(
    ("rule", "same"), [("junk", AS_ZERO), ("unjudged", JUDGED), ("sampled-out", JUDGED)]
)
def test_they_mean_what_is_said_wherever_judged_documents_count(tmp_path, rule, same):
    expected = regrade.score(same, SYSTEMS, COUNTING).means()
    ranks = regrade.unjudged(same, SYSTEMS, "nDCG@5").ranks
    for source in sources(tmp_path, SAMPLED):
        labels = regrade.read_qrels(source, below_zero=rule, name="q")
        assert_frame_equal(regrade.score(labels, SYSTEMS, COUNTING).means(), expected)
        ours = regrade.unjudged(labels, SYSTEMS, "nDCG@5")
        assert_frame_equal(ours.ranks, ranks)
        assert {"junk": "read as 0", "unjudged": "not judged"}.get(rule, "in the pool") in (
            str(ours.summary())
        )
        with_scale = regrade.read_qrels(source, below_zero=rule, scale=3, name="q")
        assert with_scale.table.equals(labels.table)


def test_infap_knows_the_documents_that_were_sampled_out(tmp_path):
    evaluator = pytrec_eval.RelevanceEvaluator(SAMPLED, {"infAP"})
    theirs = {
        name: np.mean([of["infAP"] for of in evaluator.evaluate(run).values()])
        for name, run in SYSTEMS.items()
    }
    judged = regrade.score(JUDGED, SYSTEMS, ["AP", "Judged@5"]).means()
    for source in sources(tmp_path, SAMPLED):
        labels = regrade.read_qrels(source, below_zero="sampled-out")
        found = regrade.score(labels, SYSTEMS, ["AP", "infAP", "Judged@5"]).means()
        assert found["infAP"].to_dict() == pytest.approx(theirs)
        assert_frame_equal(found[["AP", "Judged@5"]], judged)
        with pytest.raises(RegradeError, match="is scored only by regrade score"):
            regrade.rank(labels, SYSTEMS, "infAP")


def test_what_is_off_the_scale_is_dropped_where_that_is_asked(tmp_path):
    for source in sources(tmp_path, SAMPLED):
        labels = regrade.read_qrels(source, scale=3, off_scale="drop")
        assert labels.table.equals(regrade.read_qrels(JUDGED).table)


def test_as_trec_has_them_they_are_said_to_be_junk():
    said = str(regrade.unjudged(SAMPLED, SYSTEMS, "nDCG@5").summary())
    assert "count as TREC's junk" in said and "--below-zero unjudged" in said


def test_infap_and_others_say_how_each_takes_them(caplog):
    regrade.score(SAMPLED, SYSTEMS, "AP")
    assert "count as TREC's junk, without a gain" in caplog.text
    assert "infAP" not in caplog.text
    regrade.score(SAMPLED, SYSTEMS, "infAP AP")
    assert "infAP takes them for the part of a pool that was not sampled" in caplog.text


def test_values_of_a_model_are_no_junk():
    values = {t: {d: g - 2 for d, g in of.items()} for t, of in AS_ZERO.items()}
    labels = regrade.read_qrels(values)
    assert labels.on_levels() is labels
    with pytest.raises(
        RegradeError, match=r"is above 0, and some are below\. For a model's scores, shift"
    ):
        regrade.score(values, SYSTEMS, "P@5")
    shifted = {t: {d: g + 2 for d, g in of.items()} for t, of in values.items()}
    remedies = [shifted, *(regrade.read_qrels(values, below_zero=r) for r in ("junk", "unjudged"))]
    for remedy in remedies:
        assert np.isfinite(regrade.score(remedy, SYSTEMS, "P@5").means().to_numpy()).all()


def test_a_rule_that_there_is_not_and_labels_of_which_none_is_left(tmp_path):
    none = {"1": {"a": -1, "b": -2}}
    for source in sources(tmp_path, none):
        with pytest.raises(RegradeError, match="unknown below_zero 'gone'"):
            regrade.read_qrels(source, below_zero="gone")
        with pytest.raises(
            RegradeError,
            match=r"every grade is below 0: no document is judged|"
            r"no row is left: 2 rows are left out: grade -2, -1 \(not judged\)$",
        ):
            regrade.read_qrels(source, below_zero="unjudged")


def test_the_command_takes_what_they_mean(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sources(tmp_path, SAMPLED)
    for name, run in SYSTEMS.items():
        lines = [f"{t} Q0 {d} 1 {s} {name}" for t, of in run.items() for d, s in of.items()]
        (tmp_path / f"{name}.run").write_text("\n".join(lines))
    asked = ["score", "q.qrels", "one.run", "-m", "Judged@5", "--below-zero", "unjudged", "--json"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    expected = regrade.score(JUDGED, SYSTEMS, "Judged@5").means().loc["one"].item()
    assert f'"value": {expected}'[:20] in done.stdout
