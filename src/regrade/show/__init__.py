"""What people see: the style of figures, tables beside published ones, the report."""
