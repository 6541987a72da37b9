# Reference values for tests/unit/test_estimation.py: totals of a Poisson sample by Horvitz and
# Thompson, and their standard errors.
#
#     Rscript tests/reference/r/sampling.R tests/reference/r
#
# Needs r-base-core and r-cran-survey (Debian). Writes sampling-data.csv, the documents of a frame
# with the probability of each to be chosen, whether it was, its relevance, what was expected of it,
# and its weights for two systems; and sampling-expected.csv, of the weighted differences between
# relevance and expectation.

suppressMessages(library(survey))
folder <- commandArgs(trailingOnly = TRUE)[1]
set.seed(4)

n <- 60
pi <- round(runif(n, 0.1, 0.9), 3)
relevant <- rbinom(n, 1, 0.4)
expected <- round(pmin(pmax(0.4 * relevant + rnorm(n, 0.3, 0.2), 0), 1), 3)
first <- ifelse(rank(runif(n)) <= 20, 0.05, 0)
second <- ifelse(rank(runif(n)) <= 20, 0.05, 0)
data <- data.frame(
  document = sprintf("d%02d", 1:n), inclusion = pi, chosen = as.integer(runif(n) < pi),
  relevant = relevant, expected = expected, first = first, second = second
)
write.csv(data, file.path(folder, "sampling-data.csv"), row.names = FALSE, quote = FALSE)

own <- data[data$chosen == 1, ]
design <- svydesign(
  ids = ~1, probs = ~inclusion, data = own, pps = poisson_sampling(own$inclusion)
)
design <- update(design, a = first * (relevant - expected), b = second * (relevant - expected))
total <- svytotal(~ a + b, design)
found <- data.frame(
  system = c("first", "second"), total = as.numeric(coef(total)), error = as.numeric(SE(total))
)
write.csv(format(found, digits = 15), file.path(folder, "sampling-expected.csv"),
  row.names = FALSE, quote = FALSE)
