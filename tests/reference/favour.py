"""Favour of judges in plain Python: loops over topics and systems, as the definitions read."""

from __future__ import annotations

from statistics import fmean


def plain(difference: list[list[float]], members: list[bool]) -> list[float]:
    """Per topic: the mean difference of the family less that of the other systems."""
    return [
        fmean(d for d, own in zip(row, members, strict=True) if own)
        - fmean(d for d, own in zip(row, members, strict=True) if not own)
        for row in difference
    ]


def within(reference: list[list[float]], families: list[list[bool]]) -> list[list[float]]:
    """The reference's scores less the means of families; each system is in exactly one family."""
    out = []
    for row in reference:
        level = {}
        for own in families:
            mean = fmean(y for y, is_in in zip(row, own, strict=True) if is_in)
            level |= {s: mean for s, is_in in enumerate(own) if is_in}
        out.append([y - level[s] for s, y in enumerate(row)])
    return out


def slope(
    difference: list[list[float]], reference: list[list[float]], families: list[list[bool]]
) -> float:
    """The slope on quality within families, of products of different topics only."""
    centred = within(reference, families)
    topics = range(len(reference))

    def products(rows: list[list[float]]) -> float:
        return sum(
            sum(a * b for a, b in zip(rows[t], centred[u], strict=True))
            for t in topics
            for u in topics
            if t != u
        )

    return products(difference) / products(reference)


def at_equal_quality(
    difference: list[list[float]],
    reference: list[list[float]],
    families: list[list[bool]],
    family: int,
    neighbours: int,
) -> float:
    """Favour beside the other systems nearest in quality, adjusted by the slope."""
    b, own = slope(difference, reference, families), families[family]
    topics, systems = range(len(reference)), range(len(own))
    values = []
    for t in topics:
        quality = [fmean(reference[u][s] for u in topics if u != t) for s in systems]
        adjusted = [difference[t][s] - b * reference[t][s] for s in systems]
        apart = []
        for s in systems:
            if own[s]:
                others = sorted(
                    (o for o in systems if not own[o]), key=lambda o: abs(quality[o] - quality[s])
                )
                apart.append(adjusted[s] - fmean(adjusted[o] for o in others[:neighbours]))
        values.append(fmean(apart))
    return fmean(values)
