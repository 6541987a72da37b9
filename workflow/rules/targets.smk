# What a collection asks for, key by key, and study by study: a rule each, which makes all of it.
ASKED = {}
for name, keys in stage_targets().items():
    keys = [key for key in keys if stages()[key].is_asked(OPTIONS)]
    ASKED[name] = [path for key in keys for path in PATHS.everything(key)]
ASKED["trust"] = [path for name in COLLECTION.items["trust"] for path in CUTS[name].trust_tables]
ASKED["cuts"] = [
    [cuts.combined.values() for cuts in CUTS.values()],
    [path for key in ("cut_criteria", "cut_levels") for path in PATHS.everything(key)],
    PATHS.tables("cut_comparisons").values() if OPTIONS["cut_comparisons"] else [],
]
# a job of the same name makes all of it already
JOBS = {rule.name for rule in workflow.rules}

for name, files in {**ASKED, **{name: PAGE.of_study(name) for name in STUDIES}}.items():
    if name not in JOBS:

        rule:
            name:
                name
            input:
                files,
            localrule: True
