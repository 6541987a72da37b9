"""The command ``regrade``: the library on files, from a shell.

Those of questions stand in their subjects' folders, as `command`. `app` is the entry point and has
the commands about the workflow, `files` those that only read and score; `declare` is how a command
is declared, `arguments` what it is given, `output` what it prints, `streams` what is written of
characters that a terminal lacks, `places` which command to type where files stand in places of
others. `given_files` and `given_scores` tell what each of a user's files holds, `init` makes a
configuration of them, which `as_yaml` writes, `workflow` runs Snakemake as a process, `progress`
says how long that still takes; `example_files` are files to try all of it on.
"""
