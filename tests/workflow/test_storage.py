"""Results in a storage, in place of a folder that all machines share: the same bytes."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

CONFIG = """
collection: own
collections:
  own:
    runs: "{data}/runs/*"
    groups: "{data}/groups.txt"
    qrels: {N: {file: "{data}/q", levels: 2}}
    judgments: {J: {file: "{data}/j.csv", format: csv, levels: 4}}
    transformations: [{source: J, levels: 2, references: [N]}]
    ranking: [{qrels: N, measures: [AP]}]
    ties: {qrels: N}
    studies: {ranking: {table-reliability: {ranking: N}}}
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Two runs, labels, judgments and groups."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "runs").mkdir()
    for name, order in (("r", "ab"), ("s", "ba")):
        lines = [
            f"{topic} Q0 {docno} {rank} {3 - rank} {name}\n"
            for topic in (1, 2, 3) for rank, docno in enumerate(order, 1)
        ]  # fmt: skip
        (folder / "runs" / name).write_text("".join(lines))
    (folder / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 b 1\n3 0 a 1\n3 0 b 0\n")
    rows = [f"{t},{d},{w},{(t + len(w) + ord(d)) % 4}\n"
            for t in (1, 2, 3) for d in "ab" for w in ("x", "yy", "zzz")]  # fmt: skip
    (folder / "j.csv").write_text("topic,docno,worker,value\n" + "".join(rows))
    (folder / "groups.txt").write_text("r one\ns two\n")
    return folder


def made(house, folder: Path, data: Path, *storage: str):
    """A run of the small collection, in a folder."""
    folder.mkdir()
    (folder / "config.yaml").write_text(CONFIG)
    return house.snakemake(folder, "--config", f"data={data}", *storage)


@pytest.fixture(scope="module")
def shared(house, data, tmp_path_factory):
    """The files of a run without a storage, by path; not what it took, and its logs."""
    folder = tmp_path_factory.mktemp("shared") / "run"
    made(house, folder, data).well()
    return files_below(folder)


def files_below(folder: Path) -> dict[str, bytes]:
    left_out = ("benchmarks", "logs")
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.joinpath("results").rglob("*"))
        if path.is_file() and not set(left_out) & set(path.parts)
    }


def test_results_in_a_folder_as_storage(house, data, shared, tmp_path):
    pytest.importorskip("snakemake_storage_plugin_fs", reason="no snakemake-storage-plugin-fs")
    if shutil.which("rsync") is None:
        pytest.skip("no rsync, which snakemake-storage-plugin-fs copies with")
    store = tmp_path / "store"
    storage = ["--default-storage-provider", "fs", "--default-storage-prefix", str(store),
               "--shared-fs-usage", "none"]  # fmt: skip
    made(house, tmp_path / "run", data, *storage).well()
    assert files_below(store) == shared
    assert not (tmp_path / "run" / "results" / "own" / "report.html").exists()
    again = ["--config", f"data={data}", *storage]
    assert "Nothing to be done" in house.snakemake(tmp_path / "run", *again).well().printed


@pytest.fixture
def bucket():
    """A server that speaks as S3 does, on the loopback address, and a bucket in it."""
    boto3 = pytest.importorskip("boto3", reason="no boto3")
    pytest.importorskip("moto.server", reason="no moto[server]")
    pytest.importorskip("snakemake_storage_plugin_s3", reason="no snakemake-storage-plugin-s3")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    code = "from moto.server import main; main()"
    server = subprocess.Popen(
        [sys.executable, "-c", code, "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until = time.monotonic() + 600
        while time.monotonic() < until:
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.2)
        keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
        made = boto3.resource("s3", endpoint_url=url, region_name="us-east-1", **keys)
        yield url, made.create_bucket(Bucket="regrade")
    finally:
        server.terminate()
        server.wait(600)


S3 = ["--default-storage-provider", "s3", "--default-storage-prefix", "s3://regrade/mine",
      "--storage-s3-access-key", "any", "--storage-s3-secret-key", "any"]  # fmt: skip


def files_in(bucket, folder: Path) -> dict[str, bytes]:
    """What is in a bucket, copied to a folder."""
    for one in bucket.objects.all():
        path = folder / os.path.relpath(one.key, "mine")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(one.get()["Body"].read())
    return files_below(folder)


def test_results_in_a_bucket(house, data, shared, bucket, tmp_path):
    url, held = bucket
    storage = [*S3, "--storage-s3-endpoint-url", url, "--shared-fs-usage", "none"]
    made(house, tmp_path / "run", data, *storage).well()
    assert files_in(held, tmp_path / "store") == shared


def test_jobs_that_share_nothing_but_a_bucket(house, data, shared, bucket, tmp_path):
    """Each in an empty folder, without the user's files, as by the plugins of cloud services."""
    url, held = bucket
    work, apart = tmp_path / "work", tmp_path / "apart"
    shutil.copytree(house.root / "workflow", work / "workflow")
    shutil.copy(house.root / "Snakefile", work)
    shutil.copytree(data, work / "own")
    apart.mkdir()
    (work / "config.yaml").write_text(CONFIG)
    plugins = Path(__file__).parent / "plugins"
    command = [
        sys.executable, "-m", "snakemake", "--executor", "apart", "--jobs", "2", "--configfile",
        "config.yaml", "--config", "data=own", *S3, "--storage-s3-endpoint-url", url,
        "--seconds-between-status-checks", "1",
    ]  # fmt: skip
    environment = house.environment(plugins) | {"REGRADE_APART": str(apart)}
    # jobs on other machines take whatever Python is first there
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command, cwd=work, env=environment, capture_output=True, text=True, check=False
    )
    logs = "".join(log.read_text() for log in apart.glob("*.log"))
    assert done.returncode == 0, done.stdout + done.stderr + logs
    assert len(list(apart.glob("*.log"))) > 3
    assert files_in(held, tmp_path / "store") == shared
