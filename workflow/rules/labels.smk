# Labels under chosen cuts, out of the workflow as text and back into it as sets.  Made when asked
# for: by path, or as a qrels of the configuration.  Scores of documents from pairs as a set, too.
LABELS = BELOW.below("labels", "{transformation}", "{labelling}")


# one per document of any transformation, and each worker's of a crowd's
for by_worker, name, ending, about, known in (
    (False, "write_labels", ".qrels", ".json", OF_CUTS.names),
    (True, "write_judgments", ".judgments.tsv", ".judgments.json", OF_CUTS.of_crowds),
):

    rule:
        name:
            name
        input:
            judgments=LABELLINGS.judgments,
            best_cuts=LABELLINGS.best_cuts,
        output:
            labels=f"{LABELS}{ending}",
            about=f"{LABELS}{about}",
        log:
            log_of(name, "{transformation}", "{labelling}"),
        wildcard_constraints:
            **only("labels/{transformation}/", known),
            labelling=one_of(OF_CUTS.labellings),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(2000),
            runtime=10,
        params:
            how=LABELLINGS.how,
            about=LABELLINGS.about,
            by_worker=by_worker,
            code=source_hash("write_labels.py"),
        script:
            "../scripts/write_labels.py"


rule derive_labels:
    input:
        judgments=LABELLINGS.judgments,
        best_cuts=LABELLINGS.best_cuts,
    output:
        QRELS,
    log:
        log_of("derive_labels", "{name}"),
    wildcard_constraints:
        **only(
            "tables/qrels/{name}.parquet",
            {c: list(one.labelled) for c, one in COLLECTIONS.items()},
        ),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=10,
    params:
        how=LABELLINGS.how,
        about=LABELLINGS.about,
        code=source_hash("derive_labels.py"),
    script:
        "../scripts/derive_labels.py"


rule label_by_scores:
    input:
        SETS.scores_of_pairs,
    output:
        QRELS,
    log:
        log_of("label_by_scores", "{name}"),
    wildcard_constraints:
        **only(
            "tables/qrels/{name}.parquet", {c: list(one.scored) for c, one in COLLECTIONS.items()}
        ),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=5,
    params:
        how=SETS.labelling_by_scores,
        scale=SETS.written_scale,
        code=source_hash("label_by_scores.py"),
    script:
        "../scripts/label_by_scores.py"
