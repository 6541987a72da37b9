"""Small simulated runs and qrels, and what trec_eval 10.0 says of them.

    python tests/reference/trec_eval/make.py TREC_EVAL

writes ``run.txt``, ``qrels.txt`` and ``expected.txt``; TREC_EVAL is the program, as built from its
sources.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
OPTIONS = ["-q", "-c", "-m", "iprec_at_recall", "-m", "unj.1,5,10,30", "-m", "rbp_resid"]


def main(program: str) -> None:
    """Write the three files: topics with few and many relevant documents, short and long runs."""
    rng = np.random.default_rng(10)
    run, qrels = ["# made, not ranked"], []
    for topic in range(1, 16):
        run.append(f"  # {topic} Q0 d0 1 100 made")
        qrels.append(f"#{topic} 0 d0 2")  # of two together trec_eval reads the second
        documents = [f"d{i}" for i in rng.permutation(60)]
        labels = rng.choice([0, 1, 2], 60, p=[0.6, 0.25, 0.15])
        kept = rng.random(60) < rng.uniform(0.2, 0.8)
        qrels += [f"{topic} 0 d{i} {labels[i]}" for i in range(60) if kept[i]]
        ranked = documents[: rng.integers(1, 50)]
        run += [f"{topic} Q0 {d} {r} {100 - r} made" for r, d in enumerate(ranked, 1)]
    (HERE / "run.txt").write_text("\n".join(run) + "\n")
    (HERE / "qrels.txt").write_text("\n".join(qrels) + "\n")
    files = [HERE / "qrels.txt", HERE / "run.txt"]
    done = subprocess.run([program, *OPTIONS, *files], capture_output=True, text=True, check=True)
    (HERE / "expected.txt").write_text(done.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
