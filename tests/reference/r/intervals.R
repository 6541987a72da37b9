# Reference values for tests/unit/test_drawn_intervals.py and test_sample_means.py, from R's boot.
#
#     Rscript tests/reference/r/intervals.R tests/reference/r
#
# Needs r-base-core and r-cran-boot (Debian). Writes intervals-data.csv, two scores of 25 topics,
# intervals-draws.csv, which topics each of 199 draws has (from 0), and intervals-expected.csv
# beside this script.

suppressPackageStartupMessages(library(boot))

folder <- commandArgs(trailingOnly = TRUE)[1]
write_exact <- function(table, name) {
  numbers <- sapply(table, is.double)
  table[numbers] <- lapply(table[numbers], function(x) sprintf("%.17g", x))
  write.csv(table, file.path(folder, name), row.names = FALSE, quote = FALSE)
}

RNGversion("4.0.0")
set.seed(9)
n <- 25
skewed <- rexp(n)
data <- data.frame(x = skewed, y = 0.5 * skewed + rnorm(n, sd = 0.4))
write_exact(data, "intervals-data.csv")

# the correlation, by what draws scatter; the mean of x, studentised
correlation <- function(data, draw) cor(data$x[draw], data$y[draw])
mean_and_variance <- function(data, draw) c(mean(data$x[draw]), var(data$x[draw]) / n)
set.seed(10)
of_correlation <- boot(data, correlation, R = 199)
set.seed(10)
of_mean <- boot(data, mean_and_variance, R = 199)
draws <- boot.array(of_correlation, indices = TRUE)
stopifnot(identical(draws, boot.array(of_mean, indices = TRUE)))
write.table(draws - 1L, file.path(folder, "intervals-draws.csv"), sep = ",",
            row.names = FALSE, col.names = FALSE)

normal <- boot.ci(of_correlation, type = "norm")$normal
studentised <- boot.ci(of_mean, type = "stud")$student
write_exact(data.frame(
  what = c("correlation", "correlation spread", "correlation bias", "correlation normal low",
           "correlation normal high", "mean", "mean studentised low", "mean studentised high"),
  value = c(of_correlation$t0, sd(of_correlation$t), mean(of_correlation$t) - of_correlation$t0,
            normal[2:3], of_mean$t0[1], studentised[4:5])
), "intervals-expected.csv")
