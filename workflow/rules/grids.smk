# The tables of all items of a grid as one, with the parameters as columns: a job for each table.
GRIDS_OF = {name: GridInputs(own) for name, own in PATHS.items()}
GRIDS = Each(GRIDS_OF)


rule join_grid:
    input:
        GRIDS.of_items,
    output:
        table=BELOW.below("grids", "{grid}", "{table}.parquet"),
        csv=BELOW.below("grids", "{grid}", "{table}.csv"),
    log:
        log_of("join_grid", "{grid}", "{table}"),
    wildcard_constraints:
        **only("grids/{grid}", {name: [*own.grids] for name, own in GRIDS_OF.items()}),
        table=one_of(table for own in GRIDS_OF.values() for table in own.names),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        request=GRIDS.request,
        code=source_hash("join_tables.py"),
    script:
        "../scripts/join_tables.py"


rule grids:
    input:
        [own.joined() for own in GRIDS_OF.values()],
    localrule: True
