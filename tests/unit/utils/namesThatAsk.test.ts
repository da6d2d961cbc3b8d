import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FileSensitivity, isProtected } from '../../../src/utils/sensitivity/fileSensitivity';
import { repository } from '../package/manifest';

interface Named {
  name: string;
  /** True for a file that controls an editor or an agent. */
  isObeyed: boolean;
}

/**
 * Reads a table of names. Lines below `# source` contain names separated
 * by spaces. `! # source` marks files that control an editor or an agent.
 */
function corpus(file: string): Named[] {
  const lines = readFileSync(path.join(repository, 'tests/unit/utils/corpus', `${file}.txt`), 'utf8').split('\n');
  let isObeyed = false;
  return lines.flatMap((line) => {
    const header = /^(! )?# /.exec(line);
    if (header) isObeyed = header[1] !== undefined;
    if (header || line.startsWith('#')) return [];
    return line
      .split(' ')
      .filter((name) => name !== '')
      .map((name) => ({ name, isObeyed }));
  });
}

/** Ways to write a name that Windows or a lenient file system reads as the same file. */
const disguises: readonly ((name: string) => string)[] = [
  (name) => `${name}:stream`,
  (name) => `${name}::$DATA`,
  (name) => `${name}.`,
  (name) => `${name} .. `,
  (name) => name.replaceAll('/', '\\'),
  (name) => name.replaceAll('/', ' /'),
  (name) => name.replaceAll('/', '::$INDEX_ALLOCATION/'),
  (name) => name.replace(/(?<=[a-z])(?=[a-z])/, '\u200b'),
];

describe('names of files that a program executes or obeys', () => {
  const sensitivity = new FileSensitivity();
  const asks = (name: string): boolean => isProtected(name) || sensitivity.of(name) !== null;
  const executed = corpus('executed');

  it('ask before they are changed', () => {
    assert.ok(new Set(executed.map(({ name }) => name)).size >= 300);
    assert.deepEqual(
      executed.filter(({ name }) => !asks(name)).map(({ name }) => name),
      [],
    );
  });

  it('always ask where an editor or an agent obeys them', () => {
    assert.deepEqual(
      executed.filter(({ name, isObeyed }) => isObeyed && !isProtected(name)).map(({ name }) => name),
      [],
    );
  });

  it('ask in every spelling that means the same file', () => {
    for (const disguise of disguises)
      assert.deepEqual(
        executed.filter(({ name }) => !asks(disguise(name))).map(({ name }) => disguise(name)),
        [],
      );
  });

  it('ask in a folder called as one of secrets, whose code is free to read', () => {
    assert.deepEqual(
      ['secrets/vite.config.ts', 'secrets/build.rs', 'secrets/Package.swift', 'secrets/index.ts'].map((name) =>
        sensitivity.of(name),
      ),
      ['build', 'build', 'build', null],
    );
  });

  it('are free for a person who says so, except where an editor or an agent obeys them', () => {
    const own = new FileSensitivity({ '.rubocop.yml': true, 'SPEC.md': true });
    assert.deepEqual(
      ['.rubocop.yml', 'SPEC.md', '.pylintrc', 'NOVEL_AGENT.md'].map((name) => own.of(name)),
      [null, null, 'build', 'instructions'],
    );
    assert.deepEqual([isProtected('warp.md'), isProtected('.exrc')], [true, true]);
  });

  it('ask by capitals only at the root of a folder', () => {
    assert.deepEqual(
      ['NOVEL_AGENT.md', 'docs/NOVEL_AGENT.md', 'novel_agent.md', 'README.fr.md', 'Notes.md'].map((name) => sensitivity.of(name)),
      ['instructions', null, null, null, null],
    );
  });

  it('are read without a question', () => {
    const holdsNone = ['.rubocop.yml', 'phpstan.neon', 'vitest.workspace.ts', 'NOVEL_AGENT.md', '.clangd', '.nvim.lua'];
    assert.deepEqual(
      holdsNone.filter((name) => sensitivity.isSecret(name)),
      [],
    );
  });

  it('do not ask in any of at least 100 everyday edits', () => {
    const everyday = corpus('everyday').map(({ name }) => name);
    assert.ok(new Set(everyday).size >= 100);
    assert.deepEqual(everyday.filter(asks), []);
  });
});

describe('names of files that hold secrets, from a second list', () => {
  const sensitivity = new FileSensitivity();
  const secrets = corpus('secrets').map(({ name }) => name);

  it('ask before they are read', () => {
    assert.ok(new Set(secrets).size >= 195);
    assert.deepEqual(
      secrets.filter((name) => !sensitivity.isSecret(name)),
      [],
    );
  });

  it('ask in every spelling that means the same file', () => {
    for (const disguise of disguises)
      assert.deepEqual(
        secrets.map(disguise).filter((name) => !sensitivity.isSecret(name)),
        [],
      );
  });
});
