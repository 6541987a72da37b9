"""Systems compared: tests of all pairs, and analysis of covariance."""
