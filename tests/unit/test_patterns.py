"""Patterns of wildcards match just their names, and are short for those of grids."""

import itertools
import random
import re

from regrade.workflow.patterns import one_of


def test_a_pattern_matches_its_names_and_none_beside():
    draw = random.Random(1)
    letters = "ab-."
    for _ in range(500):
        names = {
            "".join(draw.choices(letters, k=draw.randint(1, 6))) for _ in range(draw.randint(1, 12))
        }
        pattern = re.compile(one_of(names))
        near = {
            name[:place] + letter + name[end:]
            for name in names
            for place in range(len(name) + 1)
            for end in (place, place + 1)
            for letter in ("", *letters)
        }
        assert {name for name in near | names if pattern.fullmatch(name)} == names


def test_no_name_no_match():
    assert not re.fullmatch(one_of([]), "")
    assert not re.fullmatch(one_of([]), "a")


def test_a_pattern_does_not_depend_on_order_and_captures_nothing():
    names = ["S4-to-2", "S11-to-3", "S11-to-2", "So4+TR2.x"]
    assert one_of(names) == one_of(names[::-1])
    assert re.compile(one_of(names)).groups == 0


def test_names_of_a_grid_make_a_short_pattern():
    shares = [round(i / 1250, 6) for i in range(1250)]
    names = [
        f"S11-seed-{seed}-levels-{levels}-coverage-{share}"
        for seed, levels, share in itertools.product((1, 2), (2, 3), shares)
    ]
    assert len("|".join(names)) > 150_000
    pattern = one_of(names)
    assert len(pattern) < 1000
    assert all(map(re.compile(pattern).fullmatch, names))
