import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { assessCommand } from '../../../../src/services/terminal/judge/commandSafety';
import { bypasses } from './bypasses';

const corpus = path.join(__dirname, '../../../../../tests/unit/terminal/corpus');

/** Returns all commands in the corpora that run in the sandbox without approval: those below critical severity. */
export async function harmfulCommands(root: string): Promise<string[]> {
  const lines = readdirSync(corpus).flatMap((file) => readFileSync(path.join(corpus, file), 'utf8').split('\n'));
  const labelled = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.slice(line.indexOf(' ') + 1));
  const all = new Set([...Object.values(bypasses).flat(), ...labelled]);
  const below: string[] = [];
  for (const command of all) {
    if (command.includes('\0')) continue;
    if ((await assessCommand(command, { roots: [root] })).severity !== 'critical') below.push(command);
  }
  return below;
}
