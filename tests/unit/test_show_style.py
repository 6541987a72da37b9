import subprocess
import sys

import matplotlib
import numpy as np
import pytest

from regrade.errors import ParameterError
from regrade.show import style
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


def test_settings_of_the_caller_do_not_reach_a_figure(tmp_path):
    @style.themed
    def draw():
        grid = style.panel_grid(1, 3, pitch=10, height=1)
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


def test_saved_files_hold_no_date_or_version(tmp_path):
    save(style.new_figure(1, 1), tmp_path / "figure.svg", tmp_path / "figure.png")
    for path in tmp_path.iterdir():
        content = path.read_bytes().lower()
        assert b"dc:date" not in content
        assert b"software" not in content and b"matplotlib v" not in content


def test_other_endings_are_refused_and_leave_nothing(tmp_path):
    with pytest.raises(ParameterError, match=r"\.svg or \.png"):
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
        grid = style.panel_grid(1, count, pitch=6, height=1.5)
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
