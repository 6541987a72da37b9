"""Tables of the stage ``magnitudes`` with made-up numbers, as the workflow reads them."""

import itertools

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.choices import WIDTHS_OF
from regrade.tables import read_table, write_table

REFERENCES = {"TR2": (0.0, 1.0), "So4": (0.0, 1.0, 2.0, 3.0)}
MEASURES = ("nDCG(base=2)@10", "ERR(max_rel='topic')@10")
FITTED = ("fitted by topic", "partially pooled")
QUARTILES = ("low", "q1", "median", "q3", "high")
MAPPINGS = ("100C", "1+C", "10+C", "2^(1+C)", "10^(1+C)")


def product(**columns):
    """Every combination of some columns' values, as rows."""
    rows = itertools.product(*columns.values())
    return pd.DataFrame(list(rows), columns=list(columns))


def box(values):
    """The columns of a box."""
    values = np.asarray(values, dtype=float)
    if not len(values):
        return dict.fromkeys(QUARTILES, np.nan)
    q1, median, q3 = np.percentile(values, [25, 50, 75])
    reach = 1.5 * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    return dict(zip(QUARTILES, (inside.min(), q1, median, q3, inside.max()), strict=True))


class Made:
    """All tables of a stage, by their schema."""

    def __init__(self, systems=6, topics=3, references=None, seed=3):
        self.seed = [seed, systems, topics]
        self.references = REFERENCES if references is None else references
        self.topics = [str(401 + place) for place in range(topics)]
        self.systems = [f"run{place}" for place in range(systems)]

    def __getitem__(self, name):
        method = {"topics": "topics_table", "systems": "systems_table"}.get(name, name)
        self.rng = np.random.default_rng([*self.seed, *name.encode()])  # the same each time
        frame = getattr(self, method)()
        assert list(frame.columns) == columns_of(f"magnitudes/{name}"), name
        return frame

    def read(self, folder, name):
        """A table as a study's function is given it, written and read."""
        path = folder / f"{name}.parquet"
        write_table(self[name], path, f"magnitudes/{name}")
        return read_table(path, f"magnitudes/{name}").to_pandas()

    def _rows(self, name, rows):
        return pd.DataFrame(rows, columns=columns_of(f"magnitudes/{name}"))

    def _over(self):
        """The reference and kind of systems of each comparison."""
        return [(name, over) for name in self.references for over in ("runs", "merged")]

    def topics_table(self):
        """Units and what became of them, by topic and over all."""
        rows = []
        for place, topic in enumerate(self.topics):
            units = 200 + place
            counts = dict(zip(COUNTS, (units - 6, 5, 1, units - 30, 20, 10), strict=True))
            rows.append(
                {"topic": topic, "documents": 120, "units": units, "judgments": 8 * units,
                 "workers": 40, "high_docno": "LA111689-0162", "low_docno": f"LOW{topic}",
                 **counts, "order": 3, "time": 2, "known": 1, "left_out": 0}
            )  # fmt: skip
        table = pd.DataFrame(rows)
        sums = table.drop(columns=["topic", "high_docno", "low_docno"]).sum().to_dict()
        whole = pd.DataFrame([{"topic": ALL_TOPICS, "high_docno": None, "low_docno": None, **sums}])
        return self._rows("topics", pd.concat([table, whole], ignore_index=True))

    def widths(self):
        """Widths to the nearest 5, the widest in bars of few units."""
        width = np.r_[np.arange(0.0, 105, 5), 250, 1000]
        units = np.r_[np.round(2000 * np.exp(-np.arange(21) / 3)).clip(1), 2, 1]
        return pd.DataFrame({"width": width, "units": units.astype(int), "width_of": WIDTHS_OF[0]})

    def width_quantiles(self):
        """Quartiles of widths by topic and over all."""
        rows = [
            {"topic": topic, "units": 100, "width_of": WIDTHS_OF[0], "low": 1.0, "q1": 2.25,
             "median": 5.0, "q3": 10.0, "high": 900.0, "narrow": 48, "wide": 52}
            for topic in [*self.topics, ALL_TOPICS]
        ]  # fmt: skip
        return self._rows("width_quantiles", rows)

    def levels(self):
        """Boxes of documents' magnitudes by level; none of the last level on the first topic."""
        rows = []
        keys = product(
            reference=list(self.references),
            topic=[*self.topics, ALL_TOPICS],
            aggregate=["median", "geometric_mean"],
        )
        for key in keys.to_dict("records"):
            scale = self.references[key["reference"]]
            for level in [*scale, np.nan]:
                lacks = level == scale[-1] and key["topic"] == self.topics[0]
                n = 0 if lacks else int(self.rng.integers(5, 900))
                values = np.exp(self.rng.normal(1 + 0.6 * np.nan_to_num(level), 0.5, n))
                mean = values.mean() if n else np.nan
                rows.append(
                    key
                    | {"level": level, "n": n, "mean": mean}
                    | box(values)
                    | {"outliers": n // 50}
                )
        return self._rows("levels", rows)

    def level_tests(self):
        """t-tests of all pairs of levels; one exception of the first topic."""
        rows = []
        for name, scale in self.references.items():
            for topic, aggregate in itertools.product(
                [*self.topics, ALL_TOPICS], ("median", "geometric_mean")
            ):
                for lower, upper in itertools.combinations(range(len(scale)), 2):
                    exception = topic == self.topics[0] and (lower, upper) == (1, 2)
                    rows.append(
                        {"reference": name, "topic": topic, "aggregate": aggregate,
                         "lower": scale[lower], "upper": scale[upper],
                         "adjacent": upper == lower + 1, "n_lower": 20, "n_upper": 10,
                         "median_lower": 3.0, "median_upper": 2.5 if exception else 4.0,
                         "t": 4.0, "p": 1e-5 if topic == ALL_TOPICS else 0.012,
                         "exception": exception}
                    )  # fmt: skip
        return self._rows("level_tests", rows)

    def exceptions(self):
        """Exceptions by reference, and of all references together."""
        rows = []
        for name in [*self.references, "*"]:
            scales = [self.references[name]] if name != "*" else list(self.references.values())
            found = int(any(len(scale) > 2 for scale in scales))
            for aggregate, pairs in itertools.product(
                ("median", "geometric_mean"), ("adjacent", "all")
            ):
                each = [
                    len(scale) - 1 if pairs == "adjacent" else len(scale) * (len(scale) - 1) // 2
                    for scale in scales
                ]
                rows.append(
                    {"reference": name, "aggregate": aggregate, "pairs": pairs,
                     "cases": sum(each) * len(self.topics), "undefined": 1, "exceptions": found,
                     "topics": self.topics[0] if found else None}
                )  # fmt: skip
        return self._rows("exceptions", rows)

    def agreement(self):
        """Agreement of order by pairs of levels and over them; a topic without a pair."""
        rows = []
        for by, scale in self.references.items():
            others = [name for name in self.references if name != by]
            sets = [("magnitudes", name) for name in (by, *others)]
            sets += [(by, name) for name in others]
            groups = [*itertools.combinations(scale, 2), (None, None)]
            for (first, second), topic, (lower, upper) in itertools.product(
                sets, [*self.topics, ALL_TOPICS], groups
            ):
                share = self.rng.beta(8, 3)
                key = {"by": by, "first": first, "second": second, "topic": topic}
                row = key | {"lower": lower, "upper": upper, "pairs": 1200, "concordant": 800,
                             "tied": 100, "discordant": 300, "share": share,
                             "strict_share": 0.9 * share, "half_share": 0.95 * share,
                             "pooled": 0.75}  # fmt: skip
                if topic == ALL_TOPICS:
                    row |= {"share_low": share - 0.05, "share_high": min(share + 0.05, 1.0)}
                elif topic == self.topics[-1]:
                    row |= {"pairs": 0, "concordant": 0, "tied": 0, "discordant": 0}
                    row |= dict.fromkeys(("share", "half_share", "strict_share", "pooled"))
                rows.append(row)
        return self._rows("agreement", rows)

    def discordant(self):
        """Three documents of each reference."""
        rows = [
            {"reference": name, "place": place, "topic": self.topics[0], "docno": f"FT-{place}",
             "label": 0.0, "nearest": scale[-1], "distance": 1.5 - 0.1 * place, "n": 3,
             "median": 9.0, "low": 4.0, "high": 30.0}
            for name, scale in self.references.items()
            for place in (1, 2, 3)
        ]  # fmt: skip
        return self._rows("discordant", rows)

    def said(self):
        """A label of each set and three magnitudes of each document; of the third, nothing."""
        rows = []
        for one in self.discordant().itertuples():
            if one.place == 3:
                continue
            key = {"reference": one.reference, "place": one.place, "topic": one.topic,
                   "docno": one.docno}  # fmt: skip
            rows += [key | {"by": name, "value": 1.0} for name in self.references]
            rows += [
                key | {"by": "ME", "worker": f"w{place}", "unit": f"u{place}", "value": value,
                       "normalised": 2 * value}
                for place, value in enumerate((4.5, 2.0, 15.0))
            ]  # fmt: skip
        return self._rows("said", rows)

    def gains(self):
        """Boxes of magnitudes over that of the known low document."""
        rows = []
        for name, scale in self.references.items():
            for place, level in enumerate(scale):
                values = np.exp(self.rng.normal(0.5 + 0.5 * level, 0.8, 300))
                rows.append(
                    {"reference": name, "level": level, "n": 300, **box(values), "limit": 20.0,
                     "above": int((values > 20).sum()), "linear": place + 1.0,
                     "exponential": 2.0 ** (place + 1)}
                )  # fmt: skip
        return self._rows("gains", rows)

    def gain_ratios(self):
        """Boxes of ratios of all pairs of levels above the lowest, of each reference."""
        rows = []
        for name, scale in self.references.items():
            for lower, upper in itertools.combinations(scale[1:] if len(scale) > 2 else scale, 2):
                values = np.exp(self.rng.normal(0.15 * (upper - lower), 0.6, 3000))
                rows.append(
                    {"reference": name, "upper": upper, "lower": lower, "pairs": 3000,
                     **box(values), "limit": 3.5, "above": int((values > 3.5).sum())}
                )  # fmt: skip
        return self._rows("gain_ratios", rows)

    def gain_profiles(self):
        """Assumed and fitted gains."""
        rows = []
        for name, scale in self.references.items():
            for place, level in enumerate(scale):
                key = {"reference": name, "topic": ALL_TOPICS, "level": level}
                gains = {"linear": place + 1, "exponential": 2.0**place, "fitted": 1.4**place}
                rows += [key | {"profile": kind, "gain": gain} for kind, gain in gains.items()]
                rows += [
                    key | {"profile": profile, "topic": topic,
                           "gain": 1.4**place * (1 + (0.1 - 0.05 * j) * i * (place > 0))}
                    for i, topic in enumerate(self.topics)
                    for j, profile in enumerate(FITTED)
                ]  # fmt: skip
        return self._rows("gain_profiles", rows)

    def gain_likelihoods(self):
        """Of each profile."""
        rows = [
            {"reference": name, "profile": profile, "units": 100, "contrasts": 600,
             "log_likelihood": -600 * loss, "per_contrast": -loss, "better_share": 0.6}
            for name in self.references
            for profile, loss in (("linear", 1.3), ("exponential", 1.6), ("fitted", 1.2))
        ]  # fmt: skip
        return self._rows("gain_likelihoods", rows)

    def systems_table(self):
        """Scores of runs and merged systems under all gains."""
        rows = []
        for (name, over), measure in itertools.product(self._over(), MEASURES):
            truth = np.linspace(0.8, 0.3, len(self.systems))
            for gains in ("reference", "magnitudes", "narrow", "wide"):
                shake = self.rng.normal(0, 0.02, len(self.systems))
                shake *= gains != "magnitudes"
                rows += [
                    {"reference": name, "over": over, "gains": gains, "measure": measure,
                     "system": system, "score": score, "p": max(0.9 - 0.12 * place, 0.0),
                     "top": place < (8 if gains == "reference" else 6),
                     "may_be_first": place < (9 if gains == "reference" else 7)}
                    for place, (system, score) in enumerate(
                        zip(self.systems, truth + shake, strict=True)
                    )
                ]  # fmt: skip
        return self._rows("systems", rows)

    def rankings(self):
        """τ and overlaps of magnitudes of all, narrow and wide units."""
        rows = [
            {"reference": name, "over": over, "gains": gains, "measure": measure,
             "n_systems": len(self.systems), "n_topics": len(self.topics), "tau": tau, "top": 6,
             "top_reference": 8, "top_both": 6, "overlap": 0.75}
            for (name, over), measure in itertools.product(self._over(), MEASURES)
            for gains, tau in (("magnitudes", 0.8144), ("narrow", 0.78), ("wide", -0.0001))
        ]  # fmt: skip
        return self._rows("rankings", rows)

    def intervals(self):
        """Intervals of every row of `rankings`, over topics, documents and units."""
        parts = []
        for quantity, resampled in itertools.product(
            ("tau", "overlap"), ("topics", "documents", "units")
        ):
            part = self.rankings()[["reference", "over", "gains", "measure", quantity]]
            part = part.rename(columns={quantity: "estimate"})
            parts.append(
                part.assign(quantity=quantity, resampled=resampled, low=part["estimate"] - 0.1,
                            high=part["estimate"] + 0.1, resamples=1000, undefined=0)
            )  # fmt: skip
        return self._rows("intervals", pd.concat(parts, ignore_index=True))

    def share_intervals(self):
        """Intervals of every mean of `agreement`; two sets of labels have none over units."""
        rows = []
        for row in self["agreement"].query("topic == '*'").itertuples():
            levels = "all" if pd.isna(row.lower) else f"{row.lower:g} {row.upper:g}"
            key = {"reference": row.by, "over": "pairs", "gains": f"{row.first} {row.second}",
                   "measure": levels, "quantity": "share", "estimate": row.share}  # fmt: skip
            rows += [
                key | {"resampled": what, "low": row.share_low, "high": row.share_high,
                       "resamples": 1000, "undefined": 0}
                for what in ("topics", "documents", "units")
                if what != "units" or row.first == "magnitudes"
            ]  # fmt: skip
        return self._rows("share_intervals", rows)

    def mappings(self):
        """τ of mapped levels, undefined for one of them."""
        table = product(
            reference=list(self.references),
            over=["runs", "merged"],
            mapping=list(MAPPINGS),
            measure=list(MEASURES),
        )
        tau = self.rng.uniform(0.7, 1.0, len(table))
        tau[-1] = np.nan
        return table.assign(tau=tau)

    def sample_quantiles(self):
        """Boxes of τ over samples."""
        rows = []
        for (name, over), measure in itertools.product(self._over(), MEASURES):
            values = self.rng.normal(0.6, 0.05, 1000)
            rows.append(
                {"reference": name, "over": over, "measure": measure, "samples": 1000,
                 "tau": 0.72, **box(values)}
            )  # fmt: skip
        return self._rows("sample_quantiles", rows)

    def orders(self):
        """Shares of samples by how far two systems are apart."""
        rows = []
        for (name, over), measure in itertools.product(self._over(), MEASURES):
            for first, second in itertools.combinations(range(len(self.systems)), 2):
                share = min(0.45 + (second - first) / 12, 1.0)
                equal = 0.01 * (share < 1)
                flip = (first + second) % 2  # the table has pairs in any order
                names = (self.systems[first], self.systems[second])[:: -1 if flip else 1]
                higher = 1 - share - equal if flip else share
                rows.append((name, over, measure, *names, higher, equal))
        return self._rows("orders", rows)

    def unanimity(self):
        """How many pairs all samples order alike."""
        n = len(self.systems)
        rows = [
            {"reference": name, "over": over, "measure": measure, "samples": 1000,
             "pairs": n * (n - 1) // 2, "unanimous": n * (n - 1) // 4, "above_95": n * (n - 1) // 3}
            for (name, over), measure in itertools.product(self._over(), MEASURES)
        ]  # fmt: skip
        return self._rows("unanimity", rows)

    def per_document(self):
        """τ of rankings under k judgments, with two others."""
        rows = []
        for (name, over), measure in itertools.product(self._over(), MEASURES):
            for other, k in itertools.product(("reference", "all judgments"), range(1, 11)):
                median = (0.9 if other == "reference" else 1.0) - 0.4 / k
                rows.append(
                    {"reference": name, "over": over, "measure": measure, "other": other, "k": k,
                     "samples": 1000, "low": median - 0.3 / k, "median": median,
                     "high": median + 0.1 / k}
                )  # fmt: skip
        return self._rows("per_document", rows)


COUNTS = ("back_0", "back_1", "back_2", "failed_0", "failed_1", "failed_2")
