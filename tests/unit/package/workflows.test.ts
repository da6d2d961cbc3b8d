import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { manifest, manifestTexts, readText, repository } from './manifest';

interface Step {
  uses?: string;
  run?: string;
}
interface Workflow {
  jobs: Record<string, { steps: Step[]; strategy?: { matrix: Record<string, string[]> } }>;
}

const folder = '.github/workflows';
const workflows = readdirSync(path.join(repository, folder)).map((name) => ({
  name,
  jobs: Object.values((parse(readText(folder, name)) as Workflow).jobs),
}));
const steps = workflows.flatMap(({ jobs }) => jobs.flatMap((job) => job.steps));
const commands = steps.flatMap(({ run = '' }) => run.split('\n')).filter(Boolean);

describe('the workflows', () => {
  it('run npm scripts that exist', () => {
    const named = commands.flatMap((command) =>
      [...command.matchAll(/npm (?:run ([\w:]+)|(test))/g)].map(([, run, test]) => run ?? test),
    );
    assert.ok(named.length >= 5, named.join());
    assert.deepEqual(
      named.filter((name = '') => !(name in manifest.scripts)),
      [],
    );
  });

  it('use actions of a named major version', () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    assert.ok(used.length > 0);
    assert.deepEqual(
      used.filter((uses) => !/^(actions|github)\/[\w/-]+@v\d+$/.test(uses)),
      [],
    );
  });

  it('test with the oldest VS Code that the manifest allows', () => {
    const tested = workflows
      .find(({ name }) => name === 'test.yml')
      ?.jobs.flatMap(({ strategy }) => strategy?.matrix['vscode'] ?? []);
    assert.deepEqual(tested, [manifest.engines.vscode.replace('^', ''), 'stable', 'insiders']);
  });

  it('publish by the commands that npm run release prints', async () => {
    const { publishCommands } = (await import(path.join(repository, 'scripts/release/checkRelease.mjs'))) as {
      publishCommands: (version: string) => string[];
    };
    for (const command of publishCommands(manifest.version)) assert.ok(commands.includes(command), command);
  });
});

describe('the texts for people with a problem', () => {
  it('name the command that shows the log as the command palette does', () => {
    const shown = `${manifestTexts['commands.category']}: ${manifestTexts['commands.showLog']}`;
    for (const text of [readText('SUPPORT.md'), readText('.github/ISSUE_TEMPLATE/bug.yml'), readText('README.md')])
      assert.ok(text.includes(shown), shown);
  });
});
