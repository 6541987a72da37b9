# What a collection asks for, key by key, and study by study: a rule each, which makes all of it.
ASKED = {
    "cuts": [
        [cuts.combined.values() for cuts in CUTS.values()],
        PATHS.everything("cut_criteria"),
        PATHS.everything("cut_levels"),
        PATHS.tables("cut_comparisons").values() if COMPARED else [],
    ],
    "trust": [CUTS[name].trust_tables for name in COLLECTION.trust],
    "per_judge": PATHS.everything("per_judge"),
    "magnitudes": PATHS.everything("magnitudes"),
    "power": [
        PATHS.everything("power"),
        PATHS.tables("synthetic_power").values() if SYNTHETIC_POWER else [],
        PATHS.everything("pages"),
    ],
    "pair_tasks": PATHS.everything("pair_tasks"),
    "pairs": PATHS.everything("pairs"),
    "pair_budgets": [
        PATHS.everything("pair_budgets"),
        PATHS.tables("pair_worlds").values() if PAIR_WORLDS else [],
    ],
    "criteria": [PATHS.everything("criteria"), PATHS.everything("rated_lists")],
    "compared": PATHS.everything("compare"),
    "significance": PATHS.tables("significance").values() if SIGNIFICANCE else [],
    "judges": PATHS.everything("judges"),
    "ranked": PATHS.everything("ranking"),
    "estimated": PATHS.everything("estimates"),
    "swept": PATHS.everything("sweeps"),
    "swept_labels": PATHS.everything("label_sweeps"),
}

for name, files in {**ASKED, **{name: PAGE.of_study(name) for name in STUDIES}}.items():

    rule:
        name:
            name
        input:
            files,
        localrule: True
