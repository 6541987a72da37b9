"""Files for readers, and what these make of them, row by row."""


def save(folder, content, name="file"):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(table, *names):
    """Tuples of all columns, or of those named."""
    return [tuple(row.values()) for row in table.select(names or table.column_names).to_pylist()]
