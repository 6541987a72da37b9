"""What people see: the style of figures, tables beside published ones, the report.

`style` is that of all figures; `panels`, `forms`, `ranked` and `movers` are their parts; `needed`
says what to install. `item_tables` reads what an item of a study shows, `published` puts printed
numbers beside ours and lists tables. `report` is the page, with the scripts of what choices are
tried in, whose data a subject's folder packs (`explorer`) with `packing`. What a question's figures
show stands there too, as `figures`. `collections_page` is the page over several collections.
"""
