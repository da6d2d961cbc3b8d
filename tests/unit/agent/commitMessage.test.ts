import assert from 'node:assert/strict';
import { cleanCommitMessage, commitRequest } from '../../../src/agent/prompt/commitMessage';

const part = (path: string, text: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n+${text}\n`;

describe('a commit message', () => {
  it('is asked for with the changes, the style of the repository and what a person has begun', () => {
    const request = commitRequest({
      diff: part('src/a.ts', 'const a = 1;'),
      recent: ['fix: one\n\nbody', 'feat: two'],
      begun: 'Speed',
      window: 8192,
    });
    const content = request?.messages[1]?.content ?? '';
    assert.match(content, /const a = 1;[\s\S]*- fix: one\n- feat: two[\s\S]*begun it with: Speed$/);
    assert.doesNotMatch(content, /body/);
  });

  it('shows nothing of files that may hold secrets, by their name or by what is in them', () => {
    const key = part('src/b.ts', `const key = 'AKIA${'Q3EGRZ7XWTPLMN2V'}';`);
    const request = commitRequest({
      diff: part('.env', 'TOKEN=x') + key + part('a.ts', 'a'),
      recent: [],
      begun: '',
      window: 8192,
    });
    assert.deepEqual(request?.leftOut, ['.env', 'src/b.ts']);
    assert.doesNotMatch(request.messages[1]?.content ?? '', /TOKEN|AKIA/);
    assert.equal(commitRequest({ diff: part('.env', 'TOKEN=x'), recent: [], begun: '', window: 8192 }), null);
  });

  it('fits a small window: each file is shortened, and that is said', () => {
    const diff = ['a.ts', 'b.ts'].map((path) => part(path, 'x'.repeat(50_000))).join('');
    const content = commitRequest({ diff, recent: [], begun: '', window: 4096 })?.messages[1]?.content ?? '';
    assert.ok(content.length < 4096 * 3);
    assert.equal(content.match(/\[… \d+ characters more\]/g)?.length, 2);
    for (const path of ['a.ts', 'b.ts']) assert.ok(content.includes(`+++ b/${path}`));
  });

  it('is what the model wrote, without what models put around it', () => {
    for (const [answer, message] of [
      ['```\nfix: a\n\nbody\n```', 'fix: a\n\nbody'],
      ['Here is the commit message:\n\nfix: a', 'fix: a'],
      ['"fix: a"', 'fix: a'],
      ['Commit message: fix: a', 'fix: a'],
      ['fix: use `a`', 'fix: use `a`'],
      ['```text\nfix: half', 'fix: half'],
    ] as const)
      assert.equal(cleanCommitMessage(answer), message);
  });

  it('gives no key of an earlier message, nor of a file that loses one', () => {
    const key = `ghp_${'a1B2'.repeat(9)}`;
    const removed = ['-----BEGIN RSA PRIVATE KEY-----', 'aB1cD2eF'.repeat(8), '-----END RSA PRIVATE KEY-----'].map(
      (line) => `-${line}`,
    );
    const diff =
      part('src/a.ts', 'const a = 1;') + `diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n${removed.join('\n')}\n`;
    const told = commitRequest({ diff, recent: [`fix: drop ${key}`], begun: '', window: 8192 })?.messages[1]?.content ?? '';
    assert.match(told, /- fix: drop \[key left out\]/);
    assert.doesNotMatch(told, /a1B2|aB1cD2eF/);
  });
});
