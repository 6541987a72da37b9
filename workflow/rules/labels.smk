# Labels under chosen cuts, out of the workflow as text and back into it as sets.  Made when asked
# for: by path, or as a qrels of the configuration.
LABELS = f"{RESULTS}/labels/{{transformation}}/{{labelling}}"


rule write_labels:
    input:
        judgments=judgments_to_label,
        best_cuts=cuts_to_label_by,
    output:
        labels=f"{LABELS}.qrels",
        about=f"{LABELS}.json",
    log:
        log_of("write_labels", "{transformation}", "{labelling}"),
    wildcard_constraints:
        transformation=one_of(TRANSFORMATIONS),
        labelling=one_of(LABELLINGS),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        how=how_to_label,
        about=about_labels,
        by_worker=False,
        code=source_hash("write_labels.py"),
    script:
        "../scripts/write_labels.py"


rule write_judgments:
    input:
        judgments=judgments_to_label,
        best_cuts=cuts_to_label_by,
    output:
        labels=f"{LABELS}.judgments.tsv",
        about=f"{LABELS}.judgments.json",
    log:
        log_of("write_judgments", "{transformation}", "{labelling}"),
    wildcard_constraints:
        transformation=one_of(t.name for t in TRANSFORMATIONS.values() if not t.source_is_expert),
        labelling=one_of(LABELLINGS),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        how=how_to_label,
        about=about_labels,
        by_worker=True,
        code=source_hash("write_labels.py"),
    script:
        "../scripts/write_labels.py"


rule derive_labels:
    input:
        judgments=judgments_to_label,
        best_cuts=cuts_to_label_by,
    output:
        QRELS,
    log:
        log_of("derive_labels", "{name}"),
    wildcard_constraints:
        name=one_of(COLLECTION.labelled),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        how=how_to_label,
        about=about_labels,
        code=source_hash("derive_labels.py"),
    script:
        "../scripts/derive_labels.py"
