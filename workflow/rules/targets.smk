# What collections ask for, key by key, and study by study: a rule each, which makes all of it.
REQUESTED = {}
for name, keys in stage_targets().items():
    REQUESTED[name] = [
        path
        for paths in PATHS.values()
        for key in keys
        if key != "transformations" and stages()[key].is_requested(paths.collection.options)
        for path in paths.everything(key)
    ]
# of each search, and of all together: these lie otherwise
REQUESTED["cuts"] += [cuts.combined.values() for own in CUTS.values() for cuts in own.values()]
# of some keys `all` makes what the page and the studies show
WHOLE = [
    REQUESTED[name] for name, (key, *_) in stage_targets().items() if not stages()[key].is_partial
]
OF_STUDIES = {
    name: [path for page in PAGES.values() for path in page.of_study(name)] for name in STUDIES
}

for name, files in {**REQUESTED, **OF_STUDIES}.items():

    rule:
        name:
            name
        input:
            files,
        localrule: True
