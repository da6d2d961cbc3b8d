import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Logger } from '../../../src/utils/logger';
import { ApiBench } from './support';

const key = `ghp_${'a1B2'.repeat(9)}`;

describe('the local API: exported dialogs', () => {
  let bench: ApiBench;
  const lines: string[] = [];
  const note = (...args: unknown[]) => void lines.push(inspect(args, { depth: 8 }));
  const logger = { trace: note, debug: note, info: note, warn: note, error: note } as unknown as Logger;
  beforeEach(async () => {
    lines.length = 0;
    bench = await ApiBench.start({}, logger);
  });
  afterEach(() => bench.stop());

  async function store(title: string, content = 'Hi'): Promise<string> {
    const { database } = bench.agent;
    const { id } = await database.sessions.create({ title, mode: 'ask', model: null, projectPath: null });
    await database.log.appendAll(id, [{ type: 'user_input', content, data: { mode: 'ask', attachments: [] } }]);
    return id;
  }
  const get = (at: string) => fetch(`${bench.server.url}${at}`, { headers: bench.headers() });
  const exported = async (title: string, format = 'markdown') =>
    (await get(`/api/dialogs/${await store(title)}/export?format=${format}`)).headers;

  it('say what they are, and are nothing that a browser would run', async () => {
    for (const [format, type, extension] of [
      ['markdown', 'text/markdown; charset=utf-8', 'md'],
      ['html', 'text/html; charset=utf-8', 'html'],
      ['json', 'application/json; charset=utf-8', 'json'],
      ['jsonl', 'application/x-ndjson; charset=utf-8', 'jsonl'],
    ] as const) {
      const headers = await exported('Plan', format);
      assert.equal(headers.get('content-type'), type);
      assert.equal(
        headers.get('content-disposition'),
        `attachment; filename="Plan.${extension}"; filename*=UTF-8''Plan.${extension}`,
      );
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
    type Documented = { paths: Record<string, { get: { responses: { 200: { content: object } } } }> };
    const { paths } = await bench.ok<Documented>('GET', '/openapi.json');
    assert.deepEqual(Object.keys(paths['/api/dialogs/{dialog}/export']?.get.responses[200].content ?? {}), [
      'text/markdown',
      'text/html',
      'application/json',
      'application/x-ndjson',
    ]);
  });

  it('are named after their title in any script, and nothing in it can end the header', async () => {
    for (const [title, ascii, name] of [
      ['Grüße 你好 🎉', 'Gr__e __ _.md', 'Grüße 你好 🎉.md'],
      [`It's 100% (a*b); "x"\r\nSet-Cookie: y=1`, "It's 100_ (a b); x Set-Cookie y=1.md", "It's 100% (a b); x Set-Cookie y=1.md"],
      ['half \ud83d', 'half _.md', 'half \ufffd.md'],
      ['', 'session.md', 'session.md'],
      [`About ${key}`, 'About [key left out].md', 'About [key left out].md'],
    ] as const) {
      const headers = await exported(title);
      const [, plain, encoded] =
        /^attachment; filename="([^"\\]*)"; filename\*=UTF-8''([\w!#$&+.^`|~%-]*)$/.exec(
          headers.get('content-disposition') ?? '',
        ) ?? [];
      assert.deepEqual([plain, decodeURIComponent(encoded ?? '')], [ascii, name]);
      assert.equal(headers.has('set-cookie'), false);
    }
  });

  it('have no token of the API in them, nor has what fails or what is logged of it', async () => {
    const { token } = bench.server;
    const id = await store('Plan');
    const said: string[] = [];
    const hear = async (at: string) => {
      const response = await get(at);
      said.push(JSON.stringify([...response.headers]) + (await response.text()));
      return response.status;
    };
    for (const format of ['markdown', 'html', 'json', 'jsonl']) {
      assert.equal(await hear(`/api/dialogs/${id}/export?format=${format}`), 200);
    }
    for (const at of [`/api/dialogs/${token}/export`, `/api/dialogs/${id}/history?limit=${token}`, `/${token}`]) {
      assert.equal(await hear(at), 401, at);
    }
    bench.agent.database.queries.page = () => Promise.reject(new Error('The disk is full'));
    assert.equal(await hear(`/api/dialogs/${id}/history`), 500);
    assert.match(lines.join('\n'), /The disk is full/);
    const crashed = inspect(Object.assign(new Error('crash'), { server: bench.server }), { depth: 8, showHidden: true });
    for (const text of [...said, ...lines, crashed]) {
      assert.equal(text.includes(token), false, text.slice(0, 400));
    }
  });
});
