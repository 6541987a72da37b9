"""Where machine code of kernels is kept, what it is made anew for, and whose is not run."""

import importlib.util
import logging
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path

import pytest
from numba.core import config

import regrade
from regrade import kernel_cache
from regrade.cutsearch import means

NUMBERS = count()
KERNEL = "from regrade.compiled import njit\n\n\n@njit(cache=True, nogil=True)\n"
OTHER = 12345
"""The number of another user."""


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch, caplog):
    """Folders are looked for anew, there is no NUMBA_CACHE_DIR, and messages are not yet said."""
    caplog.set_level(logging.WARNING, "regrade.kernel_cache")  # a command may have asked for more
    monkeypatch.setattr(config, "CACHE_DIR", "")
    says = kernel_cache._say_not_kept, kernel_cache._say_unsafe, kernel_cache._say_compiling
    for known in (kernel_cache.folders, *says):
        known.cache_clear()
    yield
    kernel_cache.folders.cache_clear()


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "made.py").write_text(f"{KERNEL}def f(x):\n    return x + 1\n", encoding="utf-8")
    return folder


def loaded(sources, name="made"):
    """A module, as a process that has not imported it has it."""
    kernel_cache.folders.cache_clear()
    spec = importlib.util.spec_from_file_location(f"{name}_{next(NUMBERS)}", sources / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled(kernel):
    """How often machine code was made, and not read."""
    return sum(kernel.stats.cache_misses.values())


def owned_by_another(folder, monkeypatch):
    if os.geteuid():
        monkeypatch.setattr(kernel_cache, "_user", lambda: OTHER)
    else:
        os.chown(folder, OTHER, OTHER)


def unwritable(monkeypatch, *folders):
    """As if files could not be written below some folders."""
    make = tempfile.TemporaryFile

    def refused(dir):
        if any(Path(dir).is_relative_to(folder) for folder in folders):
            raise PermissionError(13, "Permission denied", str(dir))
        return make(dir=dir)

    monkeypatch.setattr(kernel_cache.tempfile, "TemporaryFile", refused)


def home(monkeypatch, folder):
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.setattr(kernel_cache.tempfile, "gettempdir", lambda: str(folder / "no" / "file"))


# --- folders -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("above", "own", "is_safe"),
    [
        (0o755, 0o755, True),
        (0o700, 0o700, True),
        (0o755, 0o777, False),
        (0o755, 0o1777, False),
        (0o777, 0o755, False),
        (0o1777, 0o755, True),  # /tmp: nobody takes away what is another's
        (0o755, 0o775, False),  # the group is not its owner's alone
        (0o775, 0o755, False),
    ],
)
def test_a_folder_that_others_write_is_not_safe(above, own, is_safe, tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "_is_of_one", lambda group, user: False)
    folder = tmp_path / "above" / "own"
    folder.mkdir(parents=True)
    folder.chmod(own)
    folder.parent.chmod(above)
    assert kernel_cache.is_safe(folder) is is_safe
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert kernel_cache.is_safe(link) is is_safe
    # whoever writes above a folder of sources writes these
    of_sources = not own & 0o022
    assert kernel_cache.is_safe(folder, beside_sources=True) is of_sources


@pytest.mark.parametrize(("members", "is_safe"), [([], True), (["me"], True), (["you"], False)])
def test_a_private_group_is_no_other(members, is_safe, tmp_path, monkeypatch):
    import grp
    import pwd

    kernel_cache._is_of_one.cache_clear()
    monkeypatch.setattr(pwd, "getpwuid", lambda user: type("", (), {"pw_name": "me"}))
    entry = type("", (), {"gr_name": "me", "gr_mem": members})
    monkeypatch.setattr(grp, "getgrgid", lambda group: entry)
    tmp_path.chmod(0o770)
    assert kernel_cache.is_safe(tmp_path) is is_safe
    entry.gr_name = "staff"
    kernel_cache._is_of_one.cache_clear()
    assert not kernel_cache.is_safe(tmp_path)
    kernel_cache._is_of_one.cache_clear()


def test_a_folder_of_another_user_is_not_safe(tmp_path, monkeypatch):
    folder = tmp_path / "own"
    folder.mkdir()
    assert kernel_cache.is_safe(folder)
    owned_by_another(folder, monkeypatch)
    if not os.geteuid():
        assert not kernel_cache.is_safe(folder)
        assert not kernel_cache.is_safe(folder, beside_sources=True)
        os.chown(tmp_path, OTHER, OTHER)  # the sources are of the same
        assert kernel_cache.is_safe(folder, beside_sources=True)
        below = folder / "below"  # its owner can take it away
        below.mkdir()
        assert not kernel_cache.is_safe(below)
    else:
        assert not kernel_cache.is_safe(folder)
    assert not kernel_cache.is_safe(tmp_path / "none")


def test_kernels_are_kept_beside_their_sources(sources):
    first, again = loaded(sources).f, loaded(sources).f
    assert first(1) == again(1) == 2
    assert (compiled(first), compiled(again)) == (1, 0)
    assert list(sources.glob("__pycache__/*.nbi"))


def test_kernels_are_kept_where_numba_is_told_to(sources, tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "told" / "so"))
    assert loaded(sources).f(1) == 2
    assert list(tmp_path.glob("told/so/*/*.nbi"))
    assert not list(sources.glob("__pycache__/*.nbi"))
    assert compiled(loaded(sources).f) == 0


def test_kernels_that_were_installed_are_read(sources, tmp_path, monkeypatch):
    loaded(sources).f(1)
    unwritable(monkeypatch, sources)
    home(monkeypatch, tmp_path / "home")
    kernel = loaded(sources).f
    assert (kernel(1), compiled(kernel)) == (2, 0)
    assert kernel(1.5) == 2.5  # other types go into the user's
    assert list(tmp_path.glob("home/numba/*/*.nbi"))
    again = loaded(sources).f
    assert (again(1), again(1.5), compiled(again)) == (2, 2.5, 0)
    assert sorted(map(str, again._cache.calls())) == ["(float64,)", "(int64,)"]


@pytest.mark.parametrize("place", ["the user's", "temporary"])
def test_another_folder_is_taken_where_sources_cannot_be_written(
    place, sources, tmp_path, monkeypatch
):
    home(monkeypatch, tmp_path / "home")
    blocked = [sources]
    if place == "temporary":
        blocked.append(tmp_path / "home")
        monkeypatch.setattr(kernel_cache.tempfile, "gettempdir", lambda: str(tmp_path / "temp"))
    unwritable(monkeypatch, *blocked)
    assert loaded(sources).f(1) == 2
    again = loaded(sources).f
    assert (again(1), compiled(again)) == (2, 0)
    where = {"the user's": "home/numba/*/*.nbi", "temporary": "temp/regrade-kernels-*/*/*.nbi"}
    assert list(tmp_path.glob(where[place]))


def test_without_any_folder_kernels_run_and_one_message_is_given(
    sources, tmp_path, monkeypatch, caplog
):
    home(monkeypatch, tmp_path / "home")
    unwritable(monkeypatch, tmp_path)
    kernel = loaded(sources).f
    assert not caplog.messages  # nothing was compiled yet
    assert (kernel(1), kernel(1.5)) == (2, 2.5)
    (said,) = caplog.messages
    assert said == (
        "kernels are compiled again in each process, some seconds each: no folder of your own can "
        "be written; set NUMBA_CACHE_DIR to a folder that only you can write"
    )
    assert not list(tmp_path.rglob("*.nbi"))


def test_a_full_disk_is_no_error(sources, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device", "made.nbi")

    monkeypatch.setattr(kernel_cache._KernelFiles, "save", full)
    kernel = loaded(sources).f
    assert (kernel(1), kernel(1.5)) == (2, 2.5)
    (said,) = caplog.messages
    assert "made.nbi: No space left on device" in said


@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc"])
@pytest.mark.parametrize("content", [b"", b"\x80", b"no pickle"])
def test_a_broken_file_is_made_anew(pattern, content, sources):
    loaded(sources).f(1)
    (file,) = sources.glob(f"__pycache__/{pattern}")
    file.write_bytes(content)
    assert loaded(sources).f(1) == 2
    again = loaded(sources).f
    assert (again(1), compiled(again)) == (2, 0)


# --- attacks -----------------------------------------------------------------------------------


class Attack:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("place", ["NUMBA_CACHE_DIR", "sources"])
def test_code_that_others_have_put_into_a_cache_does_not_run(
    place, sources, tmp_path, monkeypatch, caplog
):
    home(monkeypatch, tmp_path / "home")
    if place == "NUMBA_CACHE_DIR":
        monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "open"))
    loaded(sources).f(1)
    (file,) = tmp_path.rglob("*.nbi")
    file.write_bytes(pickle.dumps(Attack(tmp_path / "ran")))
    folder = tmp_path / "open" if place == "NUMBA_CACHE_DIR" else file.parent
    folder.chmod(0o777)
    kernel = loaded(sources).f
    assert (kernel(1), kernel(2)) == (2, 3)
    assert not (tmp_path / "ran").exists()
    if place == "NUMBA_CACHE_DIR":
        (said,) = caplog.messages
        assert said.startswith(f"NUMBA_CACHE_DIR is not used: {folder}, or a folder above or in it")
    else:
        assert not caplog.messages
        assert list(tmp_path.glob("home/numba/*/*.nbi"))
    folder.chmod(0o755)  # what closed folders hold is trusted
    loaded(sources).f(1)
    assert (tmp_path / "ran").exists()


# --- what machine code is made from ------------------------------------------------------------


def test_a_kernel_is_compiled_anew_when_another_file_of_its_has_changed(sources, monkeypatch):
    """A kernel's callee is compiled into it, and so are constants: numba looks at one file."""
    monkeypatch.syspath_prepend(str(sources))
    below, top = sources / "below.py", sources / "top.py"

    def write(term, constant):
        below.write_text(
            f"{KERNEL}def g(x):\n    return x + {term}\n\n\nTEN = {constant}\n", encoding="utf-8"
        )
        # `top` calls `g` by way of a kernel that stands below it
        top.write_text(
            f"{KERNEL.replace('njit', 'njit', 1).partition('@')[0]}from below import TEN, g\n\n\n"
            "@njit(cache=True)\ndef f(x):\n    return h(x) + TEN\n\n\n"
            "@njit(cache=True)\ndef h(x):\n    return g(x)\n",
            encoding="utf-8",
        )
        sys.modules.pop("below", None)
        importlib.invalidate_caches()
        shutil.rmtree(sources / "__pycache__" / "below.cpython-311.pyc", ignore_errors=True)
        for file in sources.glob("__pycache__/below*.pyc"):
            file.unlink()
        return loaded(sources, "top").f

    first = write(1, 10)
    assert (first(0), compiled(first)) == (11, 1)
    again = write(1, 10)
    assert (again(0), compiled(again)) == (11, 0)
    for term, constant in ((2, 10), (2, 30)):
        changed = write(term, constant)
        assert (changed(0), compiled(changed)) == (term + constant, 1)
    sys.modules.pop("below", None)


@pytest.mark.parametrize(
    "module", ["regrade.kendall", "regrade.cutsearch.kernels", "regrade.sweeps.outcomes"]
)
def test_the_same_sources_have_the_same_stamp_in_each_process(module):
    code = (
        f"import {module} as m; from regrade.kernels import kernels;"
        f"print({{k._cache.stamp for k in kernels({module!r}).values()}})"
    )
    environment = os.environ | {"PYTHONHASHSEED": "1"}
    output = [
        subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True).stdout
        for env in (environment, environment | {"PYTHONHASHSEED": "2"})
    ]
    assert output[0] == output[1] != ""
    assert output[0].count(",") == 0  # one for all kernels of a file


# --- whole commands ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="users of another kind")
@pytest.mark.parametrize("has_kernels", [True, False])
def test_an_installation_that_cannot_be_written_is_used_without_a_home(has_kernels):
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        folder.chmod(0o755)
        ignored = shutil.ignore_patterns() if has_kernels else shutil.ignore_patterns("*.nb[ic]")
        library = Path(regrade.__file__).parent
        shutil.copytree(library, folder / "lib" / "regrade", ignore=ignored)
        (folder / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n", encoding="utf-8")
        for name in ("A", "B"):
            rows = f"1 Q0 a 1 2.0 {name}\n1 Q0 b 2 1.0 {name}\n"
            (folder / f"{name}.run").write_text(rows, encoding="utf-8")
        (folder / "temp").mkdir()
        (folder / "temp").chmod(0o1777)
        for path in (folder / "lib").rglob("*"):
            path.chmod(0o555 if path.is_dir() else 0o444)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if not os.geteuid() else {}
        environment = {
            "HOME": "/nonexistent",
            "PYTHONPATH": str(folder / "lib"),
            "TMPDIR": str(folder / "temp"),
            "PATH": os.environ["PATH"],
        }
        score = ["score", "qrels.txt", "A.run", "B.run", "-m", "nDCG@10"]
        for command in (["--help"], ["ties", "A.run", "B.run", "--qrels", "qrels.txt"], score):
            ended = subprocess.run(
                [sys.executable, "-m", "regrade", *command],
                env=environment, cwd=folder, capture_output=True, text=True, **nobody,
            )  # fmt: skip
            assert ended.returncode == 0, ended.stderr
            assert "Traceback" not in ended.stderr
            assert ("kernels are compiled when" in ended.stderr) is (
                command[0] == "ties" and not has_kernels
            )
        assert ended.stdout.split() == ["A", "nDCG@10", "1.0000", "B", "nDCG@10", "1.0000"]
        assert "kernels are compiled anew" not in ended.stderr
        assert any((folder / "temp").rglob("*.nbc")) is not has_kernels
        for path in (folder / "lib").rglob("*"):
            path.chmod(0o755)


def test_messages_reach_whoever_uses_the_library():
    assert logging.getLogger("regrade.kernel_cache").isEnabledFor(logging.WARNING)


@pytest.mark.parametrize("named", [(means, "CELLS"), ("regrade.cutsearch.means.CELLS",)])
def test_what_a_test_replaces_is_no_part_of_what_is_kept(named):
    """Kernels of a module note what their code is made from before a constant is replaced."""
    vars(means._add_defined).pop("dispatcher", None)
    before = kernel_cache.source_stamp(vars(means), means.__file__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(*named, 18)
        assert kernel_cache.source_stamp(vars(means), means.__file__) != before
        assert means._add_defined._cache.stamp == before
