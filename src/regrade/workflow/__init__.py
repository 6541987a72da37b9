"""The workflow's Python: the configuration, what each job reads and makes, and what runs a job.

It knows Snakemake's ways and hardly imports it; the rest of the library knows nothing of it.

`config` reads, checks and completes the configuration (`yaml_faults`: what is no YAML, `places`:
the line that a message is about), `grids` makes items of combinations of values, `project` says
where the project's files lie. `chosen` says which collections a call is about, `collection` is
what there is and what to build: `sets`, `consensus` (of several), `transformations`, `names` that
values stand for, `stages` with what each needs, `study_items`; `collection_checks` reads it, and
refuses what cannot be. `targets` and `messages` tell what can be asked for. Jobs: `stage_rules`
and `stage_job` of declared stages, `inputs` of the other rules, `patterns` of wildcards, `sources`
(the hash of a job's code), `resources` (its memory), `settings` (of rules, by users), `job` (log,
errors, what it took); `forkserver` forks them, `forked` asks it to, `hooks` starts it and tells of
those that failed.
"""
