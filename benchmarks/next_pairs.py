"""What batches of next pairs win over random ones, where all pairs of documents were answered.

    python -m benchmarks.next_pairs --data FOLDER

Topics of ``image-preferences`` of which each pair has answers begin without any and are asked in
batches; a pair's answer is one of those that were given.  Printed is, after so many questions per
document, τ_b of strengths with those under all answers, the share of the best ten that are the
same, and both less what random pairs give, with 95 % over topics: the table of
docs/methods/preferences.md.
"""

from __future__ import annotations

import argparse
from math import ceil, comb
from pathlib import Path

import numpy as np

import regrade
from regrade.kendall import tau_b
from regrade.preferences.asking import Asking, Topic
from regrade.preferences.next_pairs import RANDOM, TOP, strengths_of_all
from regrade.preferences.posterior import SPREAD, Recorded, posterior, recorded, top_overlap
from regrade.randomness import generator
from regrade.significance.paired import paired_difference

POLICIES = (RANDOM, "even", "information", "top")
BATCHES = (0.5, 1.0)
PER_DOCUMENT = (1, 2, 3)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    file = parser.parse_args().data / "image-preferences" / "pairs.tsv.gz"
    answers = regrade.read_preferences(file, format="image-preferences")
    topics = [
        one
        for one in recorded(answers)
        if one.n_pairs == comb(one.n_documents, 2) and one.n_documents > TOP
    ]
    print(f"{len(topics)} topics, {np.mean([t.n_documents for t in topics]):.1f} documents each")
    for batch in BATCHES:
        random = None
        for policy in POLICIES:
            found = np.array([learnt(one, policy, batch) for one in topics])
            random = found if random is None else random
            for place, asked in enumerate(PER_DOCUMENT):
                cells = []
                for of, base in zip(found[:, place].T, random[:, place].T, strict=True):
                    apart = paired_difference(of - base)
                    ends = f"({apart['low']:+.3f} to {apart['high']:+.3f})"
                    cells += [f"{of.mean():.3f}", f"{apart['difference']:+.3f} {ends}"]
                print(f"batches of {batch:g}", policy, asked, *cells, sep=" | ", flush=True)


def learnt(topic: Recorded, policy: str, batch: float) -> list[tuple[float, float]]:
    """τ_b and the share of the best ten, after each number of questions per document."""
    rng = generator(1, "answers", topic.topic)
    place = {pair: p for p, pair in enumerate(zip(topic.first, topic.second, strict=True))}
    truth, n = strengths_of_all(topic, SPREAD), topic.n_documents
    pairs, won, found = np.empty((0, 2), dtype=np.int64), np.empty(0), []
    for asked in np.arange(batch, PER_DOCUMENT[-1] + batch / 2, batch):
        so_far = Topic(topic.topic, topic.docnos, *pairs.T, won, 1 - won)
        more = np.sort(so_far.next_pairs(ceil(asked * n) - len(pairs), Asking(policy)), axis=1)
        given = [place[i, j] for i, j in more]
        answers = [rng.choice(topic.answers[slice(*topic.offsets[[p, p + 1]])]) for p in given]
        pairs, won = np.vstack([pairs, more]), np.r_[won, answers]
        if asked in PER_DOCUMENT:
            known = posterior(n, *pairs.T, won, 1 - won).mean.round(10)
            found.append((tau_b(truth, known), top_overlap(truth, known, TOP)))
    return found


if __name__ == "__main__":
    main()
