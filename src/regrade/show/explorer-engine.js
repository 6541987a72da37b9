// The criteria of any cut, from what `regrade.cutsearch.explorer` made of the judgments.
// Pure functions: no page, no state.  Values are known by their codes, the number of thresholds
// that they exceed; a cut is an ascending list of places of thresholds.
"use strict";

const TOLERANCE = 1e-12; // as regrade.rankings.TOLERANCE

/**
 * Arrays from the page: base64 of a deflated buffer whose parts `header.arrays` describes; its long
 * parts, which are among them, are put back into the header.
 */
async function unpack(base64, header) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const kinds = { u1: Uint8Array, u2: Uint16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };
  const arrays = header.arrays.map(([kind, start, length]) => {
    if (kind !== "d1") return new kinds[kind](buffer, start, length);
    const values = new Uint8Array(buffer, start, length); // differences, modulo 256
    for (let i = 1; i < length; i++) values[i] += values[i - 1];
    return values;
  });
  for (const [name, at] of Object.entries(header.texts)) header[name] = JSON.parse(new TextDecoder().decode(arrays[at]));
  return arrays;
}

/** The level of every code: how many thresholds of the cut it exceeds. */
function levelsOf(cut, codes) {
  const level = new Uint8Array(codes);
  for (let code = 0; code < codes; code++) {
    let reached = 0;
    for (const place of cut) reached += code > place ? 1 : 0;
    level[code] = reached;
  }
  return level;
}

const marginals = new Float64Array(16); // of α's levels: made once, for a cut asks for thousands
const scores = new Float64Array(16);

/** Krippendorff's α of a coincidence matrix (k × k, row by row); NaN where it is undefined. */
function alpha(coincidences, k, metric) {
  let n = 0;
  let used = 0;
  for (let v = 0; v < k; v++) {
    let sum = 0;
    for (let w = 0; w < k; w++) sum += coincidences[v * k + w];
    marginals[v] = sum;
    n += sum;
    used += sum > TOLERANCE ? 1 : 0;
  }
  if (used < 2) return NaN;
  let below = 0;
  for (let v = 0; v < k; v++) {
    scores[v] = metric === "ordinal" ? below + marginals[v] / 2 : v;
    below += marginals[v];
  }
  let observed = 0;
  let expected = 0;
  for (let v = 1; v < k; v++) {
    for (let w = 0; w < v; w++) {
      const apart = metric === "nominal" ? 1 : (scores[v] - scores[w]) ** 2;
      observed += coincidences[v * k + w] * apart;
      expected += marginals[v] * marginals[w] * apart;
    }
  }
  return 1 - ((n - 1) * observed) / expected;
}

let firsts = new Uint8Array(256); // levels of one unit's comparisons, kept between its two passes
let seconds = new Uint8Array(256);

/** α of one unit of comparisons from `start` to `stop`: pairs of values, so no matrix is needed. */
function alphaOfUnit(topic, level, start, stop, k, metric) {
  const n = stop - start;
  if (n > firsts.length) [firsts, seconds] = [new Uint8Array(2 * n), new Uint8Array(2 * n)];
  const { fixed, firstLow, firstHigh, low, high } = topic;
  for (let v = 0; v < k; v++) marginals[v] = 0;
  for (let i = 0; i < n; i++) {
    const at = start + i;
    const a = (level[firstLow[at]] + level[firstHigh[at]]) >> 1;
    const b = fixed ? topic.level[at] : (level[low[at]] + level[high[at]]) >> 1;
    firsts[i] = a;
    seconds[i] = b;
    marginals[a] += 1;
    marginals[b] += 1;
  }
  let below = 0;
  let expected = 0;
  for (let v = 0; v < k; v++) {
    scores[v] = metric === "ordinal" ? below + marginals[v] / 2 : v;
    below += marginals[v];
    for (let w = 0; w < v; w++) {
      const apart = metric === "nominal" ? 1 : scores[v] - scores[w];
      expected += marginals[v] * marginals[w] * apart * apart;
    }
  }
  if (expected === 0) return NaN; // one level alone
  let observed = 0;
  for (let i = 0; i < n; i++) {
    if (firsts[i] === seconds[i]) continue;
    const apart = metric === "nominal" ? 1 : scores[firsts[i]] - scores[seconds[i]];
    observed += apart * apart;
  }
  return 1 - ((2 * n - 1) * observed) / expected;
}

/** α of all values of each document of a topic with each other (`tw1`). */
function alphaWithin(topic, level, k, metric, joint) {
  joint.fill(0);
  const counts = new Float64Array(k);
  for (let u = 0; u + 1 < topic.offsets.length; u++) {
    counts.fill(0);
    for (let i = topic.offsets[u]; i < topic.offsets[u + 1]; i++) counts[level[topic.firstLow[i]]]++;
    const others = topic.offsets[u + 1] - topic.offsets[u] - 1;
    for (let v = 0; v < k; v++) {
      for (let w = 0; w < k; w++) joint[v * k + w] += (counts[v] * (counts[w] - (v === w ? 1 : 0))) / others;
    }
  }
  return alpha(joint, k, metric);
}

/** α of a topic, how many of its units have one, and how many units there are. */
function alphaOfTopic(search, topic, cut, settings) {
  const k = settings.levels;
  const level = levelsOf(cut, settings.thresholds.length + 1);
  if (search.within || !search.unitWise) {
    const value = search.within
      ? alphaWithin(topic, level, k, settings.metric, new Float64Array(k * k))
      : alphaOfUnit(topic, level, 0, topic.firstLow.length, k, settings.metric);
    const n = topic.firstLow.length > 0 ? 1 : 0;
    return settled(n ? value : NaN, Number(n && !Number.isNaN(value)), n, settings.undefined);
  }
  let total = 0;
  let defined = 0;
  const n = topic.offsets.length - 1;
  for (let u = 0; u < n; u++) {
    const value = alphaOfUnit(topic, level, topic.offsets[u], topic.offsets[u + 1], k, settings.metric);
    if (!Number.isNaN(value)) {
      total += value;
      defined += 1;
    }
  }
  return settled(defined ? total / defined : NaN, defined, n, settings.undefined);
}

/** What undefined α count as: they are dropped, or count as one or zero. */
function settled(value, defined, n, rule) {
  if (rule !== "drop" && n > 0) {
    const rest = rule === "one" ? n - defined : 0;
    value = ((defined ? value * defined : 0) + rest) / n;
  }
  const eligible = !Number.isNaN(value) && (rule !== "drop" || 2 * defined >= n);
  return { value, defined, n, eligible };
}

/** The mean over the topics where the cut counts, and how many these are. */
function alphaOfSearch(search, cut, settings) {
  const found = search.topics.map((topic) => alphaOfTopic(search, topic, cut, settings));
  const counted = found.filter((one) => one.eligible);
  const sum = counted.reduce((total, one) => total + one.value, 0);
  return {
    value: counted.length ? sum / counted.length : NaN,
    topics: counted.length,
    enough: counted.length >= search.needed,
    ofTopics: found,
  };
}

/** Of which parts the scores under a cut are made (see `regrade.cutsearch.cut_scores`). */
function partsOf(cut, systems, thresholds) {
  const { kind, level, part } = systems.lookups;
  if (kind === "one") return [level < cut.length && level >= 0 ? part[cut[level]] : 0];
  return kind === null ? [indexOfCut(cut, thresholds)] : cut;
}

/** The scores of all systems under a cut, their mean over the topics of these indices. */
function scoresOfSystems(systems, cut, topics, thresholds) {
  const { weights, parts, ideal, count } = systems;
  const size = systems.names.length;
  const chosen = partsOf(cut, systems, thresholds);
  const mean = new Float64Array(size);
  for (const t of topics) {
    let best = 1;
    if (ideal) best = chosen.reduce((sum, part, j) => sum + weights[j] * ideal[t * count + part], 0);
    if (best <= 0) continue; // no document has a gain: every system scores 0
    chosen.forEach((part, j) => {
      const share = weights[j] / (best * topics.length);
      const start = (t * count + part) * size;
      for (let s = 0; s < size; s++) mean[s] += share * parts[start + s];
    });
  }
  return mean;
}

/** Kendall's τ_b of two lists of scores; NaN where all of one are equal. */
function tauB(x, y) {
  let concordant = 0;
  let apartX = 0;
  let apartY = 0;
  const sign = (a, b) => Number(a - b > TOLERANCE) - Number(b - a > TOLERANCE);
  for (let i = 0; i < x.length; i++) {
    for (let j = i + 1; j < x.length; j++) {
      const first = sign(x[i], x[j]);
      const second = sign(y[i], y[j]);
      concordant += first * second;
      apartX += first * first;
      apartY += second * second;
    }
  }
  return apartX && apartY ? concordant / Math.sqrt(apartX * apartY) : NaN;
}

/** Ranks from 1 for the highest; equal scores share the mean of theirs. */
function ranksOf(scores) {
  const order = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a]);
  const ranks = new Float64Array(scores.length);
  for (let start = 0; start < order.length; ) {
    let stop = start + 1;
    while (stop < order.length && scores[order[stop - 1]] - scores[order[stop]] <= TOLERANCE) stop++;
    for (let i = start; i < stop; i++) ranks[order[i]] = (start + stop + 1) / 2;
    start = stop;
  }
  return ranks;
}

/** The places of a cut in lexicographic order, as `regrade.aggregation.enumerate_cuts` lists them. */
function indexOfCut(cut, thresholds) {
  const before = cutsBefore(thresholds, cut.length);
  let index = 0;
  for (let j = 0, from = 0; j < cut.length; from = cut[j++] + 1) index += before[j][cut[j]] - before[j][from];
  return index;
}

const counted = new Map(); // a map of all cuts asks for thousands of indices

/** For each threshold of a cut: how many ways to place those after it there are, summed over lower places. */
function cutsBefore(thresholds, length) {
  const key = `${thresholds} ${length}`;
  if (!counted.has(key)) {
    const sums = Array.from({ length }, (_, j) => {
      const sum = new Float64Array(thresholds + 1);
      for (let v = 0; v < thresholds; v++) sum[v + 1] = sum[v] + choose(thresholds - 1 - v, length - 1 - j);
      return sum;
    });
    counted.set(key, sums);
  }
  return counted.get(key);
}

function choose(n, k) {
  let result = 1;
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i;
  return n < k ? 0 : Math.round(result);
}

if (typeof module !== "undefined") {
  module.exports = { unpack, levelsOf, alpha, alphaOfTopic, alphaOfSearch, scoresOfSystems, tauB, ranksOf, indexOfCut };
}
