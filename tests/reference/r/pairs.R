# Reference values for tests/unit/test_preferences_effects.py, from R's lme4.
#
#     Rscript tests/reference/r/pairs.R tests/reference/r
#
# Needs r-base-core and r-cran-lme4 (Debian). Writes pairs-data.csv, answers of a small crowd, and
# pairs-expected.csv beside this script.

suppressPackageStartupMessages(library(lme4))

folder <- commandArgs(trailingOnly = TRUE)[1]
write_exact <- function(table, name) {
  numbers <- sapply(table, is.double)
  table[numbers] <- lapply(table[numbers], function(x) sprintf("%.17g", x))
  write.csv(table, file.path(folder, name), row.names = FALSE, quote = FALSE)
}

# between 6 and 30 answers of each of 24 workers
RNGversion("4.0.0")
set.seed(9)
rows <- list()
for (w in 1:24) {
  n <- sample(6:30, 1)
  own <- rnorm(1, sd = 0.8)
  position <- sample(1:12, n, replace = TRUE)
  question <- sample(c("absolute", "preference", "ratio"), n, replace = TRUE)
  seconds <- exp(4 - 0.02 * position + 0.2 * (question == "ratio") + 0.4 * own + rnorm(n, sd = 0.5))
  odds <- 0.6 + own + 0.05 * position - 0.7 * (question == "absolute")
  rows[[w]] <- data.frame(
    worker = sprintf("w%02d", w), question = question, position = as.integer(position),
    log_seconds = log(seconds), right = as.integer(runif(n) < 1 / (1 + exp(-odds)))
  )
}
data <- do.call(rbind, rows)
write_exact(data, "pairs-data.csv")

expected <- function(model) {
  table <- coef(summary(model))
  data.frame(
    what = c(paste0("estimate ", rownames(table)), paste0("error ", rownames(table)),
             "variance worker", "variance Residual", "log-likelihood"),
    value = c(table[, "Estimate"], table[, "Std. Error"], as.data.frame(VarCorr(model))$vcov,
              as.numeric(logLik(model)))
  )
}
precise <- lmerControl(optCtrl = list(maxfun = 1e5, xtol_abs = 1e-14, ftol_abs = 1e-14))
linear <- lmer(log_seconds ~ question + position + (1 | worker), data = data, REML = FALSE,
               control = precise)
write_exact(expected(linear), "pairs-expected.csv")
