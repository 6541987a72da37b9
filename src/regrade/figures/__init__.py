"""Figures: tables in, `matplotlib.figure.Figure` out; one module per study."""

from regrade.figures.style import save

__all__ = ["save"]
