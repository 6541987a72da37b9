# Reference values for tests/unit/test_ranking_*.py: Tukey's honestly significant differences of
# systems with topics as blocks, variances by restricted maximum likelihood, power of the t-test.
#
#     Rscript tests/reference/r/ranking.R tests/reference/r
#
# Needs r-base-core and r-cran-nlme (Debian). Writes ranking-data.csv, scores of six systems on
# twelve topics, and ranking-expected.csv.

suppressMessages(library(nlme))
folder <- commandArgs(trailingOnly = TRUE)[1]
set.seed(3)

systems <- 6
topics <- 12
effect <- c(0.3, 0.28, 0.2, 0.1, 0.05, 0)
scores <- outer(effect, rnorm(topics, 0.3, 0.15), "+") +
  matrix(rnorm(systems * topics, 0, 0.08), systems)
scores <- round(scores, 4)
data <- data.frame(
  system = factor(rep(paste0("s", 1:systems), topics)),
  topic = factor(rep(sprintf("t%02d", 1:topics), each = systems)),
  value = c(scores)
)
write.csv(data, file.path(folder, "ranking-data.csv"), row.names = FALSE, quote = FALSE)

found <- list()
keep <- function(what, name, value) {
  found[[length(found) + 1]] <<- data.frame(what = what, name = name, value = value)
}

tukey <- TukeyHSD(aov(value ~ topic + system, data), "system")$system
for (pair in rownames(tukey)) keep("p_tukey", pair, tukey[pair, "p adj"])

data$all <- factor(1)
fit <- lme(value ~ 1, data,
  random = list(all = pdBlocked(list(pdIdent(~ system - 1), pdIdent(~ topic - 1)))),
  control = lmeControl(msTol = 1e-14, tolerance = 1e-12)
)
spread <- as.numeric(VarCorr(fit)[, "Variance"])
keep("variance", "systems", spread[1])
keep("variance", "topics", spread[systems + 1])
keep("variance", "residual", spread[length(spread)])

for (n in c(5, 10, 50, 200)) {
  one <- power.t.test(n = n, sd = 1, power = 0.8, type = "paired", strict = TRUE, tol = 1e-12)
  keep("detectable", as.character(n), one$delta)
}
for (delta in c(0.05, 0.2, 1)) {
  one <- power.t.test(delta = delta, sd = 1, power = 0.8, type = "paired", strict = TRUE)
  keep("topics", as.character(delta), one$n)
}

expected <- do.call(rbind, found)
expected$value <- format(expected$value, digits = 15)
write.csv(expected, file.path(folder, "ranking-expected.csv"), row.names = FALSE, quote = FALSE)
