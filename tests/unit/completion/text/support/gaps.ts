import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Cut } from './cuts';

const fixture = join(process.cwd(), 'tests', 'unit', 'completion', 'fixtures', 'humanEvalInfilling');
const besideProject = join(process.cwd(), '..', 'shared', 'corpora', 'human-eval-infilling');

/** Returns every fortieth gap of human-eval-infilling: the 176 gaps that are stored here. */
export function someGaps(): Cut[] {
  return gapsIn(fixture);
}

/**
 * Returns all 7,012 gaps if `INFILLING` names the folder of the data set
 * or it is next to the project. Otherwise returns the gaps stored here.
 */
export function allGaps(): Cut[] {
  const folder = [process.env.INFILLING ?? '', besideProject].find((one) => one !== '' && existsSync(one));
  return gapsIn(folder ?? fixture);
}

function gapsIn(folder: string): Cut[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl.gz'));
  const lines = files.sort().flatMap((name) =>
    gunzipSync(readFileSync(join(folder, name)))
      .toString('utf8')
      .split('\n'),
  );
  return lines.filter((line) => line !== '').map(gapOf);
}

/** Places the cursor between the indentation and the end of a line. */
function gapOf(line: string): Cut {
  const {
    task_id: name = '',
    prompt = '',
    canonical_solution: solution = '',
    suffix = '',
  } = JSON.parse(line) as Record<string, string>;
  const indent = prompt.endsWith('\n') ? (/^[ \t]*/.exec(solution)?.[0] ?? '') : '';
  const middle = solution.slice(indent.length).trimEnd();
  const end = solution.slice(indent.length + middle.length);
  const kind = middle.includes('\n') ? 'lines' : end.includes('\n') ? 'line' : 'span';
  return { name, kind, prefix: prompt + indent, middle, suffix: end + suffix };
}
