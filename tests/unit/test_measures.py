"""Names and parameters of measures; what they compute is tested in test_scoring."""

import math
import re
import subprocess
import sys
import warnings
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade import formulas
from regrade.choices import CRITERIA_TIES
from regrade.errors import ParameterError
from regrade.formulas import dcg_discount, dcg_gains
from regrade.measures import MEASURES, REFUSED, is_sum, parse, parse_all, rbp_beside
from tests.snapshots import assert_said

THEIRS = [
    name
    for name, one in ir_measures.measures.registry.items()
    if one.__module__.startswith("ir_measures.")  # our own may be registered too
]

# text, canonical spelling; those that ir_measures reads too are checked against it
SHARED_NAMES = [
    ("AP", "AP"),
    ("MAP", "AP"),
    (" AP ", "AP"),
    ("AP()", "AP"),
    ("AP(rel=1)", "AP"),
    ("AP(rel=2)", "AP(rel=2)"),
    ("AP( rel = 2 ) @ 100", "AP(rel=2)@100"),
    ("AP(cutoff=100)", "AP@100"),
    ("P@5", "P@5"),
    ("Precision@5", "P@5"),
    ("P(rel=2)@5", "P(rel=2)@5"),
    ("Rprec", "Rprec"),
    ("RPrec(rel=2)", "Rprec(rel=2)"),
    ("RR", "RR"),
    ("MRR@10", "RR@10"),
    ("RR(rel=2)@10", "RR(rel=2)@10"),
    ("nDCG", "nDCG"),
    ("NDCG@10", "nDCG@10"),
    ("nDCG(dcg='log2')@10", "nDCG@10"),
    ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"),
    ('nDCG(dcg="exp-log2")', "nDCG(dcg='exp-log2')"),
    ("nDCG(gains={0:0,1:1,2:3})@10", "nDCG(gains={2:3})@10"),
    ("nDCG(gains={3:10,1:0.5})", "nDCG(gains={1:0.5,3:10})"),
    ("ERR", "ERR"),
    ("ERR@20", "ERR@20"),
    ("RBP", "RBP"),
    ("RBP(p=0.8)", "RBP"),
    ("RBP(p=.95)", "RBP(p=0.95)"),
    ("RBP(p=0.95,rel=1)", "RBP(p=0.95,rel=1)"),
    ("RBP(rel=1)@10", "RBP(rel=1)@10"),
    ("R@10", "R@10"),
    ("Recall(rel=2)@10", "R(rel=2)@10"),
    ("Bpref", "Bpref"),
    ("BPref(rel=2)", "Bpref(rel=2)"),
    ("AP(judged_only=True)", "AP(judged_only=True)"),
    ("AP(judged_only=False)", "AP"),
    ("nDCG(judged_only=True)@10", "nDCG(judged_only=True)@10"),
    ("P(rel=2,judged_only=True)@5", "P(rel=2,judged_only=True)@5"),
    ("Rprec(judged_only=True)", "Rprec(judged_only=True)"),
    ("INSQ(max_rel=3)", "INSQ(max_rel=3)"),
    ("INST(T=2.5,max_rel=3)", "INST(T=2.5,max_rel=3)"),
    ("SDCG(max_rel=3)@10", "SDCG(max_rel=3)@10"),
    ("infAP(rel=2)", "infAP(rel=2)"),
    ("Compat(p=0.8)", "Compat(p=0.8)"),
    ("Accuracy(rel=2)@10", "Accuracy(rel=2)@10"),
    ("BPM(T=2.5,max_rel=3)@10", "BPM(T=2.5,max_rel=3)@10"),
    ("NERR8(max_rel=3)@10", "NERR8(max_rel=3)@10"),
    ("NERR11(T=2.5,max_rel=3)", "NERR11(T=2.5,max_rel=3)"),
    ("NumRel(rel=2)", "NumRel(rel=2)"),
    ("NumRelRet", "NumRet(rel=1)"),
]
OWN_NAMES = [
    ("RBP(rel=1,p=0.95)", "RBP(p=0.95,rel=1)"),  # ir_measures keeps the order given
    ("AP(rel=2.0)", "AP(rel=2)"),
    ("AP(rel=0.5)", "AP(rel=0.5)"),
    ("P(rel=-1)@5", "P(rel=-1)@5"),
    ("nDCG(gains={0:0,1:1})", "nDCG"),
    ("nDCG(gains={-1:0.5})", "nDCG(gains={-1:0.5})"),
    ("nDCG(gains={2.5:4.0})", "nDCG(gains={2.5:4})"),
    ("nDCG(base=2)@10", "nDCG(base=2)@10"),
    ("nDCG(base=10,dcg='exp-log2')", "nDCG(dcg='exp-log2',base=10)"),
    ("ERR(max_rel=4)@20", "ERR(max_rel=4)@20"),
    ('ERR(max_rel="topic")@10', "ERR(max_rel='topic')@10"),
    ("RBP(max_rel=3)", "RBP(max_rel=3)"),
    ("F(rel=2,beta=0.5)@10", "F(beta=0.5,rel=2)@10"),
    ("NCP(gamma=1.0)", "NCP(gamma=1)"),
    ("Q(beta=1)", "Q"),
    ("Q(judged_only=True,gains={1:1,2:3})@20", "Q(gains={2:3},judged_only=True)@20"),
    ("nERR(max_rel=3)@10", "nERR(max_rel=3)@10"),
    ("DCG(dcg='exp-log2')@10", "DCG(dcg='exp-log2')@10"),
    ("SDCG@10", "SDCG@10"),
    ("INSQ(T=1.0)", "INSQ"),
    ("INST(T=2.0,rel=1)@10", "INST(T=2,rel=1)@10"),
    ("NLRE(second=credibility)@5", "NLRE(second='credibility')@5"),
    ("NLRE(second=[credibility])@5", "NLRE(second='credibility')@5"),
    ("NGRE(nu=[1.0,2],second=[a,'b-2'],mu=0.5)", "NGRE(second=['a','b-2'],nu=[1,2])"),
    ("NWCS(second=a,share=0.5,scaled=True)", "NWCS(second='a',scaled=True)"),
    ("NLRE(second='a',ties=expected)", "NLRE(second='a',ties='expected')"),
    ("CAM(second=a,measure=MAP)", "CAM(second='a',measure='AP')"),
    (
        "WHAM(second=a,measure='NDCG@5',second_measure='F(rel=3.0)@5',share=[.2,.8])",
        "WHAM(second='a',measure='nDCG@5',second_measure='F(rel=3)@5',share=[0.2,0.8])",
    ),
]


@pytest.mark.parametrize(
    ("measure", "how"),
    [
        ("RR", "one"),
        ("AP(rel=2)", "one"),
        ("DCG@10", "sum"),
        ("DCG(gains={1:3,2:1})", "sum"),
        ("DCG(gains={0:1,1:3,2:4})", None),  # what no threshold reaches gains, too
        ("nDCG@10", "ratio"),
        ("nDCG(gains={1:3,2:1})", None),  # the best ranking is not that of any threshold
        ("ERR@10", None),
    ],
)
def test_scores_under_a_cut_follow_from_thresholds(measure, how):
    assert parse(measure).of_thresholds(3) == how


DOCUMENT = Path(__file__).parents[2] / "docs" / "methods" / "measures.md"


@pytest.mark.parametrize("name", THEIRS)
def test_every_name_of_ir_measures_is_one_here_or_is_refused_with_what_to_take(name):
    """Each has a section, or its row among those that are refused."""
    text = DOCUMENT.read_text(encoding="utf-8")
    if name in REFUSED:
        with pytest.raises(ParameterError, match=re.escape(REFUSED[name])):
            parse(f"{name}@10")
        assert f"`{name}`" in text.partition("## Not computed")[2]
        return
    known = ir_measures.measures.registry[name]
    needed = {"cutoff": 10, "recall": 0.5, "max_rel": 3}
    given = {n: v for n, v in needed.items() if n in known.SUPPORTED_PARAMS}
    given = {n: v for n, v in given.items() if known.SUPPORTED_PARAMS[n].required}
    measure = parse(f"{name}({','.join(f'{n}={v}' for n, v in given.items())})")
    assert f"\n## {measure.name}\n" in text
    theirs = set(known.SUPPORTED_PARAMS) - {"min_rel"}  # the lowest grade is 0 here
    assert theirs <= set(measure.definition.takes) | {measure.definition.at}


@pytest.mark.parametrize(("text", "canonical"), SHARED_NAMES + OWN_NAMES)
def test_names_have_one_canonical_spelling(text, canonical):
    measure = parse(text)
    assert str(measure) == canonical
    assert parse(canonical) == measure
    assert parse(measure) is measure


@pytest.mark.parametrize(("text", "canonical"), SHARED_NAMES)
def test_the_canonical_spelling_is_that_of_ir_measures(text, canonical):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        theirs = ir_measures.parse_measure(text.strip())
    theirs.validate_params()
    assert str(theirs) == canonical


NUMBERS = st.integers(0, 5) | st.floats(0, 100, allow_nan=False).map(lambda x: round(x, 3))
ARGUMENTS = {
    "an integer from 1 (to 2³¹ − 1)": st.integers(1, 2000),
    "a number": st.integers(-3, 5) | st.floats(-3, 100),
    "a number between 0 and 1, both excluded": st.floats(0.001, 0.999),
    "a number above 1": st.floats(1.1, 20) | st.integers(2, 10),
    "a number from 0": st.floats(0, 100) | st.integers(0, 100),
    "a number from 0 to 1": st.floats(0, 1) | st.integers(0, 1),
    "a number from 0.5": st.floats(0.5, 100) | st.integers(1, 100),
    "True or False": st.booleans(),
    "a number above 0": st.floats(0.1, 100) | st.integers(1, 100),
    "a number above 0, or 'topic'": st.floats(0.1, 100) | st.just("topic"),
    "a mapping of grades to gains that are not negative, {1:1,2:3}": st.dictionaries(
        NUMBERS, NUMBERS, max_size=4
    ),
    "9 or 10": st.sampled_from([9, 10]),
    "'log2' or 'exp-log2'": st.sampled_from(["log2", "exp-log2"]),
    "the name of a set, or a list of them": st.sampled_from(["So4", ("So4", "b.2")]),
    "a number from 0, or a list of them": st.floats(0, 9) | st.just((1, 2.5)),
    "a number from 0 to 1, or a list of them that add up to 1": st.floats(0, 1)
    | st.just((0.25, 0.5, 0.25)),
    "one of stable, competition, optimistic, pessimistic, expected": st.sampled_from(CRITERIA_TIES),
    "the name of a measure of one set": st.sampled_from(["AP", "nDCG(dcg='exp-log2')@10"]),
}


@given(st.data())
def test_every_measure_survives_writing_and_reading(data):
    definition = data.draw(st.sampled_from(list(MEASURES.values())))
    optional = [p for p in definition.parameters if not p.required]
    chosen = (data.draw(st.sets(st.sampled_from(optional))) if optional else set()) | {
        p for p in definition.parameters if p.required
    }
    for one, other in definition.exclusive:
        if {one, other} <= {p.name for p in chosen}:
            chosen = {p for p in chosen if p.name != other}
    values = {p.name: data.draw(ARGUMENTS[p.kind.text]) for p in chosen}
    text = f"{definition.name}({','.join(f'{k}={v!r}' for k, v in values.items())})"
    measure = parse(text)
    assert parse(str(measure)) == measure
    assert str(parse(str(measure))) == str(measure)
    for name, value in values.items():
        if name == "gains":
            kept = {grade: gain for grade, gain in value.items() if grade != gain}
            assert dict(measure["gains"] or ()) == kept
        else:
            assert measure[name] == value


WRONG = r"""
NDGC@10 | ndcg@10 | map | P.10 | ndcg_cut_10 | α_nDCG@10 | NumQ | set_map | xyz | AP(rell=2)
Rprec@5 | AP(p=0.5) | AP(**{'rel':1}) | AP(rel='x') | AP(rel=True) | AP(rel=1e999)
AP(rel=1,rel=2) | AP(cutoff=3)@5 | P | P@2147483648 | P@0 | P@2.5 | P@True | nDCG(dcg='ln')
nDCG(gains={1:-1}) | nDCG(gains=[1]) | nDCG(gains={1:2},dcg='exp-log2') | nDCG(base=1) | RBP(p=1)
RBP(p=0) | RBP(rel=1,max_rel=2) | AP(judged_only=1) | NCP | NCP(gamma=1.5) | INST(T=0.4)
INSQ(T=0) | SDCG | SDCG(dcg='exp-log2',rel=1)@5 | RBP(dcg='exp-log2',rel=1)
INST(gains={1:2},rel=1) | INSQ(gains={1:1},rel=1) | nDCG(gains={1:1},dcg='exp-log2') | ERR(rel=1)
Q(beta=-1) | F(beta=0) | ERR(max_rel=0) | ERR(max_rel='all') | RBP(max_rel='topic') | AP@ | AP(2)
AP(rel=x) | AP(rel=f(1)) | NLRE | NLRE(second=[]) | NLRE(second=[a,a]) | NLRE(second=a,ties=best)
NLRE(second=a,nu=-1) | NWCS(second=a,share=[0.5,0.6]) | CAM(second=a) | CAM(second=a,measure='AQ')
WHAM(second=a,measure='NLRE(second=b)') | AP;nDCG | alpha-nDCG@20 | ERR-IA@10 | MAP-IA | strec@10
strecall | nrbp(alpha=0.5) | P(rel=1)@5@6
"""


def test_a_wrong_name_is_refused_with_a_remedy():
    def say(text):
        with pytest.raises(ParameterError) as error:
            parse(text)
        assert repr(text) in str(error.value)
        return str(error.value)

    names = [name.strip() for line in WRONG.strip().splitlines() for name in line.split(" | ")]
    assert_said("measures-refused", say, ((name,) for name in names))
    for text in ("", "\0", "AP(" + "(" * 500, 10, None):
        assert "is not a measure" in say(text)


def test_two_names_of_one_measure_are_refused():
    assert [str(m) for m in parse_all(["AP", "nDCG@10", "AP(rel=2)"])] == [
        "AP",
        "nDCG@10",
        "AP(rel=2)",
    ]
    with pytest.raises(ParameterError, match=r"'MAP' and 'AP\(rel=1\)' are the same measure, AP"):
        parse_all(["nDCG", "MAP", "AP(rel=1)"])
    with pytest.raises(ParameterError, match="give a list"):
        parse_all("AP")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("ERR(gains={1:1,2:2})", "ERR(dcg='log2')"),
        ("ERR(gains={})", "ERR"),
        ("ERR(dcg='exp-log2')", "ERR"),
        ("RBP(gains={2:2,1:5})", "RBP(gains={1:5})"),
        ("RBP(dcg='log2')", "RBP"),
        ("nDCG(gains={1:1})", "nDCG"),
    ],
)
def test_gains_that_are_the_grades_are_linear(text, canonical):
    assert str(parse(text)) == canonical


@pytest.mark.parametrize(
    ("measure", "rbp"),
    [
        ("AP", "RBP(rel=1)"),
        ("AP(rel=2,judged_only=True)@10", "RBP(rel=2)"),
        ("P(rel=0.5)@5", "RBP(rel=0.5)"),
        ("nDCG@10", "RBP"),
        ("nDCG(dcg='exp-log2',base=2)", "RBP(dcg='exp-log2')"),
        ("DCG(gains={1:3,2:9})", "RBP(gains={1:3,2:9})"),
        ("Q(beta=10,gains={1:3})", "RBP(gains={1:3})"),
        ("ERR(max_rel=4)", "RBP(dcg='exp-log2',max_rel=4)"),
        ("ERR(max_rel='topic')", "RBP(dcg='exp-log2')"),
        ("ERR(gains={1:3})", "RBP(gains={1:3})"),
        ("ERR(dcg='log2')", "RBP"),
        ("RBP(p=0.98,rel=2)", "RBP(rel=2)"),
        ("INST(T=2)", "RBP"),
    ],
)
def test_the_rbp_beside_a_measure_takes_grades_as_it_does(measure, rbp):
    assert str(rbp_beside(measure)) == rbp


def test_aliases_name_one_measure_each():
    names = [name for d in MEASURES.values() for name in (d.name, *d.aliases)]
    assert len(names) == len(set(names))


def test_defaults_fit_their_parameters():
    for definition in MEASURES.values():
        for parameter in definition.parameters:
            if parameter.default is not None:
                assert parameter.kind.accepts(parameter.default), (definition.name, parameter.name)


def test_the_documentation_names_every_measure_parameter_and_alias():
    text = (Path(__file__).parents[2] / "docs" / "methods" / "measures.md").read_text("utf-8")
    sections = dict(re.findall(r"^## (\w+)\b.*?\n(.*?)(?=^## |\Z)", text, re.M | re.S))
    for definition in MEASURES.values():
        section = sections[definition.name]
        written = {p.name if p.name != "cutoff" else "@k" for p in definition.parameters}
        for name in written | set(definition.aliases):
            assert re.search(rf"`[^`]*{re.escape(name)}[^`]*`", section), (definition.name, name)


@pytest.mark.parametrize(
    ("measure", "gains"),
    [
        ("nDCG", [0, 0, 0.5, 1, 2, 3]),
        ("nDCG(dcg='exp-log2')", [0, 0, math.expm1(math.log(2) / 2), 1, 3, 7]),
        ("nDCG(gains={0:1,2:2.5,3:10})", [0, 1, 0.5, 1, 2.5, 10]),
    ],
)
def test_gains_of_grades(measure, gains):
    grades = np.array([-2, 0, 0.5, 1, 2, 3])
    np.testing.assert_array_equal(dcg_gains(parse(measure), grades), gains)
    assert grades.tolist() == [-2, 0, 0.5, 1, 2, 3]


@pytest.mark.parametrize(
    ("measure", "discounts"),
    [
        ("nDCG", [1, 2, 3, 4]),
        ("nDCG(base=2)", [1, np.log2(3), np.log2(7), np.log2(15)]),
        ("nDCG(base=7)", [1, 1, 1, np.log2(15) / np.log2(7)]),
    ],
)
def test_discounts_of_ranks(measure, discounts):
    found = dcg_discount(parse(measure), np.array([1.0, 3, 7, 15]))
    np.testing.assert_allclose(found, discounts, rtol=1e-15)


def test_reading_names_loads_no_arrays():
    code = """
import sys
from regrade.measures import parse_all
parse_all(["nDCG(dcg='exp-log2')@10", "RBP(p=0.98)"])
print(*sorted(sys.modules.keys() & {"numpy", "numba", "pandas", "pyarrow", "scipy"}))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "\n"


def test_definitions_name_formulas_that_there_are():
    for definition in MEASURES.values():
        for part in ("formula", "residual", "weights", "continuation"):
            name = getattr(definition, part)
            assert name is None or callable(getattr(formulas, name)), (definition.name, part)


def test_measures_of_ir_measures_are_taken_as_they_are_written():
    theirs = [ir_measures.AP(rel=2), ir_measures.nDCG @ 10, ir_measures.RBP(p=0.9)]
    assert list(map(str, map(parse, theirs))) == ["AP(rel=2)", "nDCG@10", "RBP(p=0.9)"]


def test_every_name_of_ir_measures_is_known_here_or_said_to_be_elsewhere():
    for name in THEIRS:
        try:
            parse(name)
        except ParameterError as error:
            assert any(said in str(error) for said in ("is not computed here", " needs "))


def test_a_recall_is_written_where_others_have_a_rank():
    measure = parse("IPrec(rel=2)@0.5")
    assert measure["recall"] == 0.5 and str(measure) == "IPrec(rel=2)@0.5"
    assert parse("IPrec(recall=0.5,rel=2)") == measure
    for wrong, said in [("IPrec", "recall"), ("IPrec@10", "0 to 1"), ("P@0.5", "cutoff")]:
        with pytest.raises(ParameterError, match=said):
            parse(wrong)


@pytest.mark.parametrize(
    ("measure", "told"),
    [("P@10", True), ("DCG@10", True), ("RBP", True), ("nDCG@10", False), ("AP", False)],
)
def test_sums_over_documents_are_told_from_ratios(measure, told):
    assert is_sum(parse(measure)) == told
