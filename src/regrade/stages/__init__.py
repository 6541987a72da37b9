"""What a stage is: a question's inputs, options, tables and jobs, declared once beside its methods.

`declare` is the language of declarations, `registry` finds them: the modules ``stage.py`` of the
subjects; `effects` finds what several collections can be compared by; `common` has options and
`checks` what is refused that several share.  A declaration costs nothing to import; its jobs import
what they call when they run.  What follows from a declaration is written nowhere else: the
configuration's schema and its checks, the rules and jobs of the workflow
(`regrade.workflow.stage_rules`, `stage_job`), the targets, the cards of the page, the parameters of
the function that runs its jobs in memory (`library`) and the options of its command.
"""
