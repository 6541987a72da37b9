"""What a process takes, against what it is known to have done."""

import subprocess
import sys
import time

import pytest

from regrade.resources import Usage


@pytest.fixture
def taken(tmp_path):
    path = tmp_path / "folder" / "of.tsv"
    return lambda before: Usage.now().write(path, before) or read(path)


def read(path):
    head, values = path.read_text(encoding="utf-8").splitlines()
    return dict(zip(head.split("\t"), map(float, values.split("\t")), strict=True))


def test_waiting_takes_time_but_no_processor(taken):
    began = time.perf_counter()
    before = Usage.now()
    time.sleep(0.3)
    found = taken(before)
    assert 0.3 <= found["s"] <= time.perf_counter() - began
    assert found["cpu_time"] < 0.2


def test_what_other_processes_took_is_counted_when_they_have_ended(taken):
    before = Usage.now()
    code = "held = bytearray(400 << 20)\nfor _ in range(3_000_000): pass"
    subprocess.run([sys.executable, "-c", code], check=True)
    found = taken(before)
    assert found["max_rss"] > 400
    assert 0.01 < found["cpu_time"] < 20


def test_a_peak_stays():
    held = bytearray(b"1") * (600 << 20)
    high = Usage.now().peak
    del held
    assert Usage.now().peak >= high > 600
