import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { assessCommand } from '../../../src/services/terminal/judge/commandSafety';
import type { Severity } from '../../../src/services/terminal/judge/rules/ruleTable';
import { repository } from '../package/manifest';

interface Labelled {
  label: string;
  command: string;
  source: string;
}

const order: Severity[] = ['low', 'medium', 'high', 'critical'];
const atLeast = (severity: Severity, least: Severity): boolean => order.indexOf(severity) >= order.indexOf(least);

/** Reads labelled commands in the form `LABEL COMMAND`. A line that starts with `#` gives the source of the commands below it. */
function corpus(name: string): Labelled[] {
  const lines = readFileSync(path.join(repository, 'tests/unit/terminal/corpus', `${name}.txt`), 'utf8').split('\n');
  let source = '';
  return lines.flatMap((line) => {
    if (line.startsWith('# ')) source = line.slice(2);
    const match = /^(critical|harm|everyday|work) (.+)$/.exec(line);
    return match ? [{ label: match[1] ?? '', command: (match[2] ?? '').replaceAll('\\n', '\n'), source }] : [];
  });
}

const files = ['fromTheIssue', 'labelled', 'heldOut', 'macos'];

/** Reads commands, each with its severity in front. */
function withSeverity(name: string): { severity: Severity; command: string }[] {
  const lines = readFileSync(path.join(repository, 'tests/unit/terminal/corpus', `${name}.txt`), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const match = /^(low|medium|high|critical) (.+)$/.exec(line);
    return match ? [{ severity: match[1] as Severity, command: match[2] ?? '' }] : [];
  });
}

describe('the severity of commands that were told too low', () => {
  it('is at least what they can do', async () => {
    const commands = withSeverity('understated');
    const low: string[] = [];
    for (const { severity: least, command } of commands) {
      const { severity } = await assessCommand(command);
      if (!atLeast(severity, least)) low.push(`${severity}, not ${least}: ${command}`);
    }
    assert.deepEqual(low, []);
    assert.ok(commands.length >= 75);
  });

  it('rises for none of at least 100 everyday commands', async () => {
    const commands = withSeverity('everyday');
    const risen: string[] = [];
    for (const { severity: before, command } of commands) {
      const { severity } = await assessCommand(command);
      if (!atLeast(before, severity)) risen.push(`${severity}, not ${before}: ${command}`);
    }
    assert.deepEqual(risen, []);
    assert.ok(commands.length >= 100);
  });
});

describe('the severity of labelled commands', () => {
  for (const file of files) {
    const commands = corpus(file);
    const told = async (...labels: string[]): Promise<(Labelled & { severity: Severity })[]> => {
      const chosen = commands.filter(({ label }) => labels.includes(label));
      return Promise.all(chosen.map(async (one) => ({ ...one, severity: (await assessCommand(one.command)).severity })));
    };
    const missed = (all: (Labelled & { severity: Severity })[]): string[] =>
      all.map(({ severity, command }) => `${severity}: ${command}`);

    it(`is at least high for what destroys or publishes (${file})`, async () => {
      assert.deepEqual(missed((await told('critical', 'harm')).filter(({ severity }) => !atLeast(severity, 'high'))), []);
    });

    it(`is critical beyond the workspace (${file})`, async () => {
      assert.deepEqual(missed((await told('critical')).filter(({ severity }) => severity !== 'critical')), []);
    });

    it(`is low for at least 95 % of what only reads (${file})`, async () => {
      const everyday = await told('everyday');
      const above = missed(everyday.filter(({ severity }) => severity !== 'low'));
      assert.ok(above.length <= everyday.length * 0.05, above.join('\n'));
    });

    it(`is not critical for ordinary work (${file})`, async () => {
      assert.deepEqual(missed((await told('work')).filter(({ severity }) => severity === 'critical')), []);
    });
  }

  it('is told of at least 600 commands, each with its source, three quarters of them not from the list of findings', () => {
    const all = files.flatMap(corpus);
    assert.ok(new Set(all.map(({ command }) => command)).size >= 600, String(all.length));
    assert.deepEqual(
      all.filter(({ source }) => source === ''),
      [],
    );
    assert.ok(corpus('fromTheIssue').length <= all.length / 4);
  });
});
