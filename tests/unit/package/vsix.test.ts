import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { repository } from './manifest';

/** All that users get. Whatever is not matched here does not belong into the package, or is missing from this list. */
const allowed = [
  /^package(\.nls(\.[\w-]+)?)?\.json$/,
  /^(README|CHANGELOG)\.md$/,
  /^LICENSE$/,
  /^dist\/[\w.-]+\.js$/,
  /^dist\/sql-wasm\.wasm$/,
  /^dist\/tree-sitter(-(bash|powershell|javascript|typescript|tsx|python|go|java|rust))?\.wasm$/,
  /^media\/[\w.-]+\.(js|css|ttf|woff2?|svg)$/,
  /^l10n\/bundle\.l10n(\.[\w-]+)?\.json$/,
  /^resources\/walkthrough\/\w+\.svg$/,
  /^resources\/icons\/[\w.-]+\.(svg|png)$/,
];
const limit = 6 * 1024 * 1024;

describe('the packaged extension', () => {
  it('holds what is on the list and nothing else', async function () {
    this.timeout(120_000);
    const vsce = path.join(repository, 'node_modules/@vscode/vsce/vsce');
    const { stdout } = await promisify(execFile)(process.execPath, [vsce, 'ls', '--no-dependencies'], { cwd: repository });
    const files = stdout.split('\n').filter(Boolean);
    assert.deepEqual(
      files.filter((file) => !allowed.some((pattern) => pattern.test(file))),
      [],
    );
    assert.ok(files.includes('package.json') && files.includes('LICENSE') && files.includes('README.md'));
  });

  it('is smaller than 6 MB', function () {
    const vsix = statSync(path.join(repository, 'ollama-copilot.vsix'), { throwIfNoEntry: false });
    if (!vsix) this.skip();
    assert.ok(vsix.size < limit, `${vsix.size} bytes`);
  });
});
