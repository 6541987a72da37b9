"""What people see: the style of figures, tables beside published ones, the report."""

from regrade.extras import need

need("matplotlib", "figures")
