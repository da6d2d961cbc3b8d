import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { inRoot, root } from '../lib/paths.mjs';
import { windowsPath, wineEnvironment } from './wine.mjs';

const limitMs = 120_000;

/** Runs `gaps.cjs`, which shows each gap without our code. Returns exit code 1 if a listed reason has no gap or a gap no longer exists. */
export async function showGaps(nodeFile, gaps, temporary) {
  const folder = mkdtempSync(path.join(temporary, 'ollama-copilot-gaps-'));
  const args = [nodeFile, windowsPath(inRoot('scripts', 'windows', 'gaps.cjs')), windowsPath(folder)];
  await once(spawn('wine', args, { cwd: root, env: wineEnvironment(), stdio: 'ignore', timeout: limitMs }), 'exit');
  const file = path.join(folder, 'gaps.jsonl');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  rmSync(folder, { recursive: true, force: true });
  const shown = new Map(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .map((gap) => [gap.name, gap]),
  );
  let isWrong = false;
  for (const [name, { kind, why, probe = name }] of Object.entries(gaps)) {
    if (kind !== 'environment') continue;
    const { isGap = false, seen = 'not shown' } = shown.get(probe) ?? {};
    console.log(`${isGap ? 'shown ' : 'NOT SHOWN'} ${name}: ${why} (${seen})`);
    isWrong ||= !isGap;
  }
  return isWrong ? 1 : 0;
}
