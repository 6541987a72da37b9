"""What people see: the style of figures, tables beside published ones, the report.

`style` is that of all figures; `panels`, `boxes`, `counts`, `curves`, `matrix`, `ranked`, `movers`
and `universes` are their parts; `needed` says what to install. `item_tables` reads what an item of
a study shows, `published` puts printed numbers beside ours and lists tables. `answer_figures` and
`judgment_figures` stand beneath answers; `report` is the page, `explorer` and `sweep_explorer` its
parts to try choices in.
"""
