"""The command ``regrade``: the library on files, from a shell.

`app` has the commands, `arguments` and `output` what they share, `options` those of a stage,
`places` which command to type where files stand in places of others. `given_files` tells what each
of a user's files holds, `init`
makes a configuration of them, `workflow` runs Snakemake as a process, `progress` says how long that
still takes; `example_files` are files to try all of it on.
"""
