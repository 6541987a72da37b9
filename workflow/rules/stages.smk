# Every stage that is declared beside its methods (src/regrade/*/stage.py): one rule for each of its
# jobs, whose items are wildcards.
for made in job_rules(PATHS, CUTS):

    rule:
        name:
            rule_of(made.job.name, made.number)
        input:
            unpack(made.each.inputs),
        output:
            **made.outputs,
        log:
            log_of(made.name, *made.parts),
        wildcard_constraints:
            **made.matched,
        group:
            made.job.group
        conda:
            "../envs/regrade.yaml"
        threads: made.each.threads
        resources:
            mem_mb=made.memory,
            runtime=made.minutes,
        params:
            request=made.each.request,
            content=made.each.content,
            imports=made.imports,
            code=made.code,
        script:
            "../scripts/stage.py"
