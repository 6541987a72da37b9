"""The environment that `make` sets up: of one Python, whatever Python is there later."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
OWN = Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}")


def works(python):
    """Whether a Python can make an environment, and is another than that of the tests."""
    code = "import ensurepip, ssl, sys; sys.exit(sys.version_info < (3, 11))"
    found = subprocess.run([python, "-c", code], capture_output=True, check=False)
    return found.returncode == 0


def another():
    """Another Python, if there is one."""
    known = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    version = f"python3.{sys.version_info[1]}"
    return next((one for one in known if one and not one.endswith(version) and works(one)), None)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with an environment, whose packages are not installed."""
    folder = tmp_path_factory.mktemp("clone")
    shutil.copy(PROJECT / "Makefile", folder)
    for name in ("requirements.lock", "pyproject.toml"):
        (folder / name).touch()
    (folder / "src" / "regrade").mkdir(parents=True)
    assert f"Making .venv with Python 3.{sys.version_info[1]}" in make(folder, f"PYTHON={OWN}")
    return folder


def make(folder, *words, path=""):
    """Make the environment again, as where the lock has changed."""
    os.utime(folder / "requirements.lock")
    (folder / ".venv" / ".installed").unlink(missing_ok=True)
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHON", "MAKEFLAGS", "MAKELEVEL")}
    done = subprocess.run(
        ["make", ".venv/.installed", "PIP=true", *words], cwd=folder, capture_output=True,
        text=True, check=True, env=kept | {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"},
    )  # fmt: skip
    return done.stdout


def imports_ssl(folder):
    done = subprocess.run([folder / ".venv/bin/python", "-c", "import ssl"], check=False)
    return done.returncode == 0


@pytest.mark.slow
def test_an_environment_that_works_is_used_whatever_python_comes_first(made, tmp_path):
    other = tmp_path / "python3"
    other.write_text("#!/bin/sh\nexit 7\n")
    other.chmod(0o755)
    before = (made / ".venv" / "pyvenv.cfg").read_bytes()
    assert "Using .venv, of Python" in make(made, path=str(tmp_path))
    assert (made / ".venv" / "pyvenv.cfg").read_bytes() == before
    assert "Using .venv, of Python" in make(made, f"PYTHON={OWN}")
    assert imports_ssl(made)


@pytest.mark.slow
def test_an_environment_that_is_broken_is_made_anew(made):
    (made / ".venv" / "bin" / "python").unlink()
    said = make(made, f"PYTHON={OWN}")
    assert "is of another Python, or broken: it is made anew" in said
    assert imports_ssl(made)


@pytest.mark.slow
def test_a_python_that_is_named_makes_its_own(made):
    other = another()
    if other is None:
        pytest.skip("there is one Python only")
    assert "is of another Python, or broken: it is made anew" in make(made, f"PYTHON={other}")
    assert imports_ssl(made)
    assert "Using .venv" in make(made, f"PYTHON={other}")
