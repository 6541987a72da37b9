# Magnitude estimation: units checked, values normalised; magnitudes beside labels; systems under
# magnitudes, and how much they vary.
MAGNITUDES = COLLECTION.magnitudes
for name, asked in MAGNITUDES.items():

    rule:
        name:
            rule_name("normalise_magnitudes", name)
        input:
            judgments=JUDGMENTS.format(name=asked["set"]),
            known=QRELS.format(name=asked["known"]) if asked["known"] else [],
            reference=[QRELS.format(name=first) for first in asked["references"][:1]],
        output:
            **tables_of_stage("magnitudes", name),
        log:
            log_of("normalise_magnitudes", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            **given(asked, "normalise", "shift", "repeats", "width", "extremes"),
            **given(asked, "least_seconds", "leave_out"),
            code=source_hash("normalise_magnitudes.py"),
        script:
            "../scripts/normalise_magnitudes.py"

    if asked["references"]:

        rule:
            name:
                rule_name("compare_magnitudes", name)
            input:
                units=magnitudes_of(name, "units"),
                topics=magnitudes_of(name, "topics"),
                normalised=magnitudes_of(name, "normalised"),
                documents=magnitudes_of(name, "documents"),
                references=[QRELS.format(name=n) for n in asked["references"]],
            output:
                **tables_of_stage("magnitudes_and_labels", name),
            log:
                log_of("compare_magnitudes", name),
            conda:
                "../envs/regrade.yaml"
            resources:
                mem_mb=2000,
                runtime=20,
            params:
                **given(asked, "aggregate", "repeats", "resamples", "discordant"),
                **given(asked, "folds", "seed"),
                name=name,
                levels=levels_of(asked["references"]),
                code=source_hash("compare_magnitudes.py"),
            script:
                "../scripts/compare_magnitudes.py"

    if asked["references"] and COLLECTION.has_runs:

        rule:
            name:
                rule_name("rank_magnitudes", name)
            input:
                runs=CODED_RUNS,
                units=magnitudes_of(name, "units"),
                normalised=magnitudes_of(name, "normalised"),
                widths=magnitudes_of(name, "width_quantiles"),
                references=[QRELS.format(name=n) for n in asked["references"]],
            output:
                **tables_of_stage("magnitudes_and_systems", name),
            log:
                log_of("rank_magnitudes", name),
            conda:
                "../envs/regrade.yaml"
            threads: 8
            resources:
                mem_mb=3000,
                runtime=30,
            params:
                **given(asked, "aggregate", "width", "measures", "depth", "merged"),
                **given(asked, "samples", "resamples", "significance", "seed"),
                name=name,
                levels=levels_of(asked["references"]),
                code=source_hash("rank_magnitudes.py"),
            script:
                "../scripts/rank_magnitudes.py"


rule magnitudes:
    input:
        [table for name in MAGNITUDES for table in tables_of_magnitudes(name)],
    localrule: True
