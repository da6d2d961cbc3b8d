import assert from 'node:assert/strict';
import path from 'node:path';
import { ESLint, type Linter } from 'eslint';
import { repository } from '../package/manifest';

const forbidden = [
  "import http from 'node:http'; http.get('');",
  "import { request } from 'https'; request('');",
  "import { connect } from 'node:net'; connect(1);",
  "import tls from 'node:tls'; tls.connect(1);",
  "import { createSocket } from 'node:dgram'; createSocket('udp4');",
  "import { lookup } from 'node:dns/promises'; void lookup('');",
  "import { WebSocket } from 'ws'; new WebSocket('');",
  "export { request } from 'node:http';",
  "void import('node:http');",
  "require('net');",
  "process.getBuiltinModule('node:net');",
  "void fetch('http://x');",
  "void globalThis.fetch('http://x');",
  "new WebSocket('ws://x');",
];

describe('The linter', () => {
  let lint: (code: string, file: string) => Promise<string[]>;

  before(async () => {
    // Only the rules are used, because the types of made-up files are unknown.
    const { default: config } = (await import(path.join(repository, 'eslint.config.mjs'))) as { default: Linter.Config[] };
    const untyped = config
      .filter(
        ({ files, rules, plugins }) =>
          files !== undefined && rules?.['no-restricted-syntax'] !== undefined && plugins !== undefined,
      )
      .concat(config.filter(({ files, rules }) => files !== undefined && rules?.['no-restricted-globals'] !== undefined));
    const parser = config.find(({ languageOptions }) => languageOptions?.parser !== undefined)?.languageOptions?.parser;
    const eslint = new ESLint({
      cwd: repository,
      overrideConfigFile: true,
      overrideConfig: [{ files: ['**/*.ts'], languageOptions: { parser: parser ?? null } }, ...untyped],
    });
    lint = async (code, filePath) => {
      const [result] = await eslint.lintText(code, { filePath: path.join(repository, filePath) });
      return (result?.messages ?? [])
        .filter(({ message }) => message.includes('src/services/network'))
        .map(({ message }) => message);
    };
  });

  for (const code of forbidden)
    it(`forbids outside of the network module: ${code}`, async () => {
      for (const file of ['src/agent/made.ts', 'src/services/model/made.ts', 'src/webview/made.ts'])
        assert.equal((await lint(code, file)).length, 1, file);
      assert.deepEqual(await lint(code, 'src/services/network/made.ts'), []);
    });

  it('allows types of these modules', async () => {
    assert.deepEqual(await lint("import type { Server } from 'node:http'; export type S = Server;", 'src/agent/made.ts'), []);
  });
});
