"""Tables and figures of studies, as their items ask for them."""

from importlib import import_module

import pytest

from regrade.errors import ParameterError
from regrade.show import style
from tests.unit.figure_checks import on_page


def shown(item, tables, **given):
    """What an item's function makes of its tables, by its own settings but for some."""
    settings = {name: item.options[key]["default"] for name, key in item.settings.items()} | given
    frames = [tables[path.rpartition("/")[2]].copy() for path in item.shows]
    module = import_module(item.module)
    return getattr(module, item.function)(*frames, **settings)


def assert_made(item, show, cannot, folder):
    """An item is a table as readers want it, or a figure that lies on the page, or refused.

    What it is, is returned; nothing where it is refused.
    """
    if cannot:
        with pytest.raises(ParameterError, match="nothing to draw"):
            show()
        return None
    made = show()
    if item.is_table:
        tidy, readable = made
        keys = list(item.keys)
        assert list(tidy.columns[: len(keys)]) == keys and "ours" in tidy
        assert not tidy.duplicated(keys).any()
        assert readable.map(lambda cell: isinstance(cell, str)).all(axis=None)
        assert not (readable == "nan").any(axis=None)
    else:
        assert on_page(made)
        style.save(made, folder / "figure.svg", notes="Simulated.")
    return made
