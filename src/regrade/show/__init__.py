"""What people see: the style of figures, tables beside published ones, the report.

`style` is that of all figures; `panels`, `forms`, `ranked` and `movers` are their parts; `needed`
says what to install. `item_tables` reads what an item of a study shows, `published` puts printed
numbers beside ours and lists tables. `report` is the page, with `charts` that it draws itself, and
with scripts; what these explore a subject's folder packs (`explorer_page`) with `packing`. What a
question's figures show stands there too, as `figures`. `collections_page` is the page over several
collections.
"""
