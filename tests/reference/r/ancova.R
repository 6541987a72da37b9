# Reference values for tests/unit/test_significance_ancova.py and _mixed.py, from R's car and lme4.
#
#     Rscript tests/reference/r/ancova.R tests/reference/r
#
# Needs r-base-core and r-cran-car (Debian). Writes ancova-data.csv, a small unbalanced example,
# ancova-expected.csv, mixed-expected.csv and versions.txt beside this script.

suppressPackageStartupMessages({
  library(car)
  library(lme4)
})

folder <- commandArgs(trailingOnly = TRUE)[1]
write_exact <- function(table, name) {
  numbers <- sapply(table, is.double)
  table[numbers] <- lapply(table[numbers], function(x) ifelse(is.na(x), "", sprintf("%.17g", x)))
  write.csv(table, file.path(folder, name), row.names = FALSE, quote = FALSE)
}

# between three and eight depths per topic and system, some of them twice
RNGversion("4.0.0")
set.seed(20)
topics <- c("401", "402", "403", "404")
systems <- c("alpha", "beta", "gamma")
rows <- list()
for (t in seq_along(topics)) {
  for (s in seq_along(systems)) {
    depth <- sort(sample(seq(5, 50, by = 5), sample(3:8, 1)))
    if ((t + s) %% 4 == 0) depth <- c(depth, depth[1])
    level <- 0.2 + 0.07 * t + 0.05 * s + 0.04 * ((t * s) %% 3)
    value <- level + (0.001 * t - 0.0007 * s) * depth + rnorm(length(depth), sd = 0.03)
    rows[[length(rows) + 1]] <- data.frame(
      depth = as.integer(depth), system = systems[s], topic = topics[t], value = value
    )
  }
}
data <- do.call(rbind, rows)
write_exact(data, "ancova-data.csv")
data$topic <- factor(data$topic)
data$system <- factor(data$system)
# without two cells: the main effects are still there
thinned <- subset(data, !(topic == "402" & system == "beta") & !(topic == "404" & system == "alpha"))

expected <- list()
for (contrasts in c("contr.sum", "contr.treatment")) {
  options(contrasts = c(contrasts, "contr.poly"))
  models <- list(
    all = aov(value ~ depth * topic * system, data = data),
    twoway = aov(value ~ (depth + topic + system)^2, data = data),
    main = aov(value ~ depth + topic + system, data = data),
    thinned = aov(value ~ depth + topic + system, data = thinned),
    nodepth = aov(value ~ topic + system, data = thinned)
  )
  for (model in names(models)) {
    for (type in c("II", "III")) {
      table <- Anova(models[[model]], type = type)
      expected[[length(expected) + 1]] <- data.frame(
        model = model, contrasts = sub("contr.", "", contrasts), type = type,
        term = trimws(rownames(table)), sum_sq = table[["Sum Sq"]],
        df = as.integer(table[["Df"]]), f = table[["F value"]], p = table[["Pr(>F)"]]
      )
    }
  }
}
write_exact(do.call(rbind, expected), "ancova-expected.csv")

options(contrasts = c("contr.treatment", "contr.poly"))
mixed <- list()
formulas <- c(
  "topic" = value ~ depth + system + (1 | topic),
  "topic + topic:system" = value ~ depth + system + (1 | topic) + (1 | topic:system)
)
precise <- lmerControl(optCtrl = list(maxfun = 1e5, xtol_abs = 1e-14, ftol_abs = 1e-14))
for (random in names(formulas)) for (reml in c(FALSE, TRUE)) {
  model <- lmer(formulas[[random]], data = data, REML = reml, control = precise)
  wald <- Anova(model)
  variances <- as.data.frame(VarCorr(model))
  estimates <- coef(summary(model))
  mixed[[length(mixed) + 1]] <- data.frame(
    random = random, reml = reml,
    what = c(paste0("estimate ", rownames(estimates)), paste0("error ", rownames(estimates)),
             paste0("chi2 ", rownames(wald)), paste0("variance ", variances$grp),
             "log-likelihood"),
    value = c(estimates[, "Estimate"], estimates[, "Std. Error"], wald[["Chisq"]],
              variances$vcov, as.numeric(logLik(model)))
  )
}
write_exact(do.call(rbind, mixed), "mixed-expected.csv")

writeLines(
  c(R.version.string, sapply(c("boot", "car", "lme4"), function(p) paste(p, packageVersion(p)))),
  file.path(folder, "versions.txt")
)
