import { readFileSync, writeFileSync } from 'node:fs';
import { inRoot } from '../lib/paths.mjs';
import { format, resolveConfig } from 'prettier';

/**
 * Known failures by reason. `kind` is `environment`, `test`, `product`, or `open` if nobody has examined the failures yet. `cases` lists
 * the titles for each file. `isSteady: false` means that any case in the files can fail occasionally.
 */
const gapsFile = inRoot('scripts', 'windows', 'gaps.json');

export function readGaps() {
  return JSON.parse(readFileSync(gapsFile, 'utf8'));
}

/**
 * Sorts results into `listed` (failures with a reason), `unlisted`
 * (failures without a reason) and `stale` (passed, but listed as failures).
 */
export function sortResults(results, gaps) {
  const reasons = Object.entries(gaps);
  const sorted = { listed: [], unlisted: [], stale: [] };
  for (const result of results) {
    const reason = reasons.find(([, gap]) => isListed(gap, result));
    if (result.state === 'failed') {
      if (reason === undefined) sorted.unlisted.push(result);
      else sorted.listed.push({ ...result, reason: reason[0], kind: reason[1].kind });
    } else if (result.state === 'passed' && reason !== undefined && reason[1].isSteady !== false) {
      sorted.stale.push({ ...result, reason: reason[0] });
    }
  }
  return sorted;
}

/** Lists new failures under this reason, and removes the cases that passed. */
export async function recordGaps(results, gaps, reason) {
  const { unlisted, stale } = sortResults(results, gaps);
  for (const { reason: former, file, title } of stale)
    gaps[former].cases[file] = gaps[former].cases[file].filter((one) => one !== titleOf(title));
  const { cases, isSteady } = gaps[reason];
  for (const { file, title } of unlisted)
    cases[file] = isSteady === false ? [] : [...new Set([...(cases[file] ?? []), titleOf(title)])].sort();
  for (const gap of Object.values(gaps)) {
    const kept = Object.entries(gap.cases).filter(([, titles]) => titles.length > 0 || gap.isSteady === false);
    gap.cases = Object.fromEntries(kept.sort());
  }
  const options = { ...(await resolveConfig(gapsFile)), filepath: gapsFile };
  writeFileSync(gapsFile, await format(JSON.stringify(gaps), options));
}

function isListed({ cases, isSteady }, { file, title }) {
  return isSteady === false ? file in cases : (cases[file] ?? []).includes(titleOf(title));
}

/** Returns a title without the seed of random sequences. */
function titleOf(title) {
  return title.replace(/SEED=\d+/, 'SEED=…');
}
