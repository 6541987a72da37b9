"""What people see: the style of figures, tables beside published ones, the report.

`style` is that of all figures; `panels`, `boxes`, `counts`, `curves`, `matrix`, `ranked` and
`movers` are their parts; `needed` says what to install. `item_tables` reads what an item of a study
shows, `published` puts printed numbers beside ours and lists tables. `report` is the page,
`explorer` and `sweep_explorer` its parts to try choices in. What a question's figures show stands
in its subject's folder, as `figures`.
"""
