# What a collection asks for, key by key, and study by study: a rule each, which makes all of it.
ASKED = {}
for name, keys in stage_targets().items():
    keys = [key for key in keys if stages()[key].is_asked(OPTIONS) and key != "transformations"]
    ASKED[name] = [path for key in keys for path in PATHS.everything(key)]
# of each search, and of all together: these lie otherwise
ASKED["cuts"] += [cuts.combined.values() for cuts in CUTS.values()]
# of some keys `all` makes what the page and the studies show
WHOLE = [ASKED[name] for name, (key, *_) in stage_targets().items() if not stages()[key].only_shown]
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
