import assert from 'node:assert/strict';
import path from 'node:path';
import { readText, repository } from './manifest';

describe('the styles of the view', () => {
  let styles: { file: string; text: string }[];
  before(async () => {
    const { filesIn } = (await import(path.join(repository, 'scripts/lib/fingerprint.mjs'))) as {
      filesIn: (places: string[]) => string[];
    };
    styles = filesIn(['src/webview'])
      .filter((file) => /\.(?:css|vue)$/.test(file))
      .map((file) => ({ file, text: readText(file) }));
    assert.ok(styles.length > 50, 'finds the style sheets');
  });

  const found = (pattern: RegExp): { file: string; name: string }[] =>
    styles.flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([, name = '']) => ({ file, name })));

  /** Asserts that each used name is defined, because browsers silently ignore unknown names. */
  function assertDefined(used: RegExp, defined: RegExp): void {
    const known = new Set(found(defined).map(({ name }) => name));
    const uses = found(used);
    assert.ok(uses.length > 0, 'finds uses');
    assert.deepEqual(
      uses.filter(({ name }) => !known.has(name)),
      [],
    );
  }

  it('use only properties that they define, or the colours of the editor', () => {
    assertDefined(/var\((--(?!vscode-)[\w-]+)\)/g, /(?:@property |['"\s{])(--[\w-]+)['"]?\s*[:{]/g);
  });

  it('use only animations that they define', () => {
    assertDefined(/animation(?:-name)?: (?!none)([\w-]+)/g, /@keyframes ([\w-]+)/g);
  });
});
