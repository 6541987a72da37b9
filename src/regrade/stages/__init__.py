"""What a stage is: a question's inputs, options, tables and jobs, declared once beside its methods.

`declare` is the language of declarations, `registry` finds them: the modules ``stage.py`` of the
subjects; `checks` has what several refuse alike.  A declaration costs nothing to import; its jobs import what they call when they run.
What follows from a declaration is written nowhere else: the configuration's schema and its checks,
the rules and jobs of the workflow (`regrade.workflow.stage_rules`, `stage_job`), the targets, and
the cards of the page.
"""
