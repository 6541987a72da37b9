import subprocess
import sys
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest

import regrade
from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.panels import panel_grid
from regrade.show.style import save


def test_pyplot_is_never_imported():
    code = (
        "import regrade.studies.han2019.figures, sys; sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_figure_leaves_the_settings_of_its_caller_alone(tmp_path):
    @style.themed
    def draw():
        assert matplotlib.rcParams["font.size"] == style.FONT_SIZE
        return style.new_figure(2, 1)

    with matplotlib.rc_context({"font.size": 31}):
        save(draw(), tmp_path / "figure.png")
        assert matplotlib.rcParams["font.size"] == 31


def test_a_figure_of_words_has_the_project_s_font():
    with matplotlib.rc_context({"font.family": "serif"}):
        (text,) = style.words("nothing to draw").texts
    assert text.get_fontfamily() == [style.RC["font.family"]]


def test_settings_of_the_caller_do_not_reach_a_figure(tmp_path):
    @style.themed
    def draw():
        grid = panel_grid(["panel"], 3, pitch=10, height=1)
        grid.axes[0].plot([1, 2, 3])
        return grid.figure

    save(draw(), tmp_path / "a.svg")
    changed = {
        "font.size": 20,
        "axes.facecolor": "red",
        "svg.fonttype": "none",
        "lines.color": "red",
    }
    with matplotlib.rc_context(changed):
        save(draw(), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_every_figure_is_drawn_with_the_projects_settings():
    source = Path(regrade.__file__).parent
    modules = [
        ".".join(("regrade", *path.relative_to(source).with_suffix("").parts))
        for path in sorted(source.rglob("*figures.py"))
    ]
    figures = [
        function
        for module in map(import_module, modules)
        for name, function in vars(module).items()
        if name.startswith("figure_") and function.__module__ == module.__name__
    ]
    assert len(figures) > 60
    assert [one.__name__ for one in figures if not hasattr(one, "__wrapped__")] == []


def test_other_endings_are_refused_and_leave_nothing(tmp_path):
    with pytest.raises(ParameterError, match=r"\.svg, \.pdf or \.png"):
        save(style.new_figure(1, 1), tmp_path / "figure.jpg")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "label"),
    [
        (("h1_ta",), r"$H^{1}_{t+a}$"),
        (("tw1", None, "S4", 2), r"$Tw^{1}_{\alpha}$ (S4 → 2)"),
        (("h2", "TR2_a", "S100", 2), r"$H^{2}$ (S100 → 2, TR2$_{a}$)"),
        (("d2_at", "So4"), r"$D^{2}_{a+t}$ (So4)"),
    ],
)
def test_method_labels(arguments, label):
    assert style.method_label(*arguments) == label


def test_an_unknown_method_is_named():
    with pytest.raises(ParameterError, match="no method 'h3'; there are h1_ta"):
        style.method_label("h3")


def test_names_with_dollars_stay_text():
    assert style.dataset_label("a$b$_a") == r"a\$b\$$_{a}$"


def test_labels_of_positions_never_overlap():
    for count in (2, 18, 60, 200):
        grid = panel_grid(["panel"], count, pitch=6, height=1.5)
        axes = grid.axes[0]
        axes.set_xlim(-0.5, count - 0.5)
        style.label_positions(
            axes, [str(20500 + i) for i in range(count)], range(count), grid.pitch
        )
        grid.figure.draw_without_rendering()
        labels = [label for label in axes.get_xticklabels() if label.get_text()]
        assert len(labels) == count or count > 60
        boxes = [label.get_window_extent() for label in labels]
        point = grid.figure.dpi / style.POINTS
        # a turned label is as wide as a digit is high, though its box has room for accents
        turned = labels[0].get_rotation() == 90
        widths = [0.73 * style.FONT_SIZE * point if turned else box.width for box in boxes]
        middles = [(box.x0 + box.x1) / 2 for box in boxes]
        assert all(np.diff(middles)[:-1] > widths[:-2])  # the last is always there
        assert min(label.get_fontsize() for label in labels) >= 7


def titles(path):
    return [
        found.text for found in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}title")
    ]


def test_markers_at_the_frame_are_whole(tmp_path):
    figure = style.new_figure(style.SINGLE_COLUMN, 2.0)
    axes = figure.subplots()
    (inside,) = axes.plot([0.5], [0.5], "o")
    (at_the_frame,) = axes.plot([0.2, 1.0], [0.4, 0.0], "o")
    (beyond,) = axes.plot([0.2, 1.2], [0.4, 0.5], "o")
    (bare,) = axes.plot([0, 1], [0, 1])
    axes.set(xlim=(0, 1), ylim=(0, 1))
    style.save(figure, tmp_path / "figure.png")
    clipped = [line.get_clip_on() for line in (inside, at_the_frame, beyond, bare)]
    assert clipped == [True, False, True, True]
    assert at_the_frame.get_zorder() > axes.spines["left"].get_zorder()


def test_no_look_is_an_arrow_along_an_axis():
    markers = [look["marker"] for look in style.looks(list("abcdefg")).values()]
    assert len(set(markers)) == 7 and not set(markers) & set("<>")


@pytest.mark.parametrize("marker", ["o", "x", "^"])
def test_points_have_their_names_in_an_svg(tmp_path, marker):
    """Whatever a name holds, and however many points there are: one is drawn otherwise."""
    names = ['a<"b>', "it's & so", "ü", "lost", "https://example.org"]
    figure = style.new_figure(2, 2)
    axes = figure.add_subplot()
    places = [1, 2, 3, np.nan, 4]
    style.dots(axes, places, places, names, color="#0072B2", marker=marker, mew=0.7)
    style.dots(axes, [2], [1], [7], color="#0072B2", marker=marker)
    style.dots(axes, [], [], [], color="#0072B2", marker=marker)
    save(figure, tmp_path / "figure.svg", tmp_path / "figure.png")
    assert titles(tmp_path / "figure.svg") == [*names[:3], names[4], "7"]
    svg = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert "<a " not in svg and "name:" not in svg
