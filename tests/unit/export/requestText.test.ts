import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { withAttachments } from '../../../src/protocol/history';
import { printCall, printedAnswer, printResult } from '../../../src/protocol/printedCalls';
import { redactRequest } from '../../../src/services/export/requestRedaction';
import { requestText } from '../../../src/services/export/requestText';
import type { ModelExchange } from '../../../src/types/modelExchange';
import type { WireMessage } from '../../../src/types/ollama';

const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const isSecret = (path: string) => path.endsWith('.env');
const exchange = (body: object, more: Partial<ModelExchange> = {}): ModelExchange => ({
  path: '/api/chat',
  model: 'm',
  address: 'http://localhost:11434',
  body,
  startedAt: 0,
  endedAt: 2500,
  isLoad: false,
  metrics: { total_duration: 2e9, load_duration: 5e7, prompt_eval_count: 1200, prompt_eval_duration: 1e9, eval_count: 30 },
  ...more,
});
const redacted = (messages: WireMessage[]) =>
  (redactRequest({ model: 'm', messages }, isSecret) as { messages: unknown }).messages;
const call = (id: string, path: string) => ({ id, function: { name: 'read_file', arguments: { path } } });

describe('The text of a request', () => {
  it('is a command, then the figures as comments', () => {
    const text = requestText(exchange({ model: 'm', stream: true }), { model: 'm', stream: true }, { hasToken: true });
    assert.match(
      text,
      /^# m · .+\ncurl 'http:\/\/localhost:11434\/api\/chat' \\\n {2}--header 'Content-Type: application\/json' \\\n {2}--header "Authorization: Bearer \$OLLAMA_TOKEN" \\\n {2}--data-binary @- <<'OLLAMA_REQUEST'\n\{\n {2}"model": "m",\n {2}"stream": true\n\}\nOLLAMA_REQUEST\n\n#/,
    );
    for (const line of ['Load: 0.05 s', 'Prompt: 1,200 tokens in 1 s (1,200 tokens/s)', 'Answer: 30 tokens', 'Total: 2 s'])
      assert.ok(text.includes(`# ${line}\n`), line);
    assert.ok(text.includes('# {"total_duration":2000000000,'));
  });

  it('says that an answer without its last part has no statistics', () => {
    const text = requestText(exchange({}, { metrics: null }), {}, { hasToken: false });
    assert.match(text, /# The answer is incomplete, so the server sent no statistics\.\n$/);
    assert.ok(!text.includes('Authorization'));
  });

  it('sends exactly the same body when it is pasted into a shell', async () => {
    // The command is for a POSIX shell.
    if (process.platform === 'win32') return;
    const received: string[] = [];
    const server = http.createServer((request, response) => {
      let text = '';
      request.on('data', (piece: Buffer) => (text += piece.toString('utf8')));
      request.on('end', () => {
        received.push(text);
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const hostile = `it's "$HOME" \`id\` $(id)\nOLLAMA_REQUEST\n\\n ä 漢 '; exit 1 #`;
    const body = { model: 'm', messages: [{ role: 'user', content: hostile }], options: { num_ctx: 4096 } };
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const text = requestText(exchange(body, { address }), body, { hasToken: false });
    const shell = spawn('sh', ['-s'], { stdio: ['pipe', 'ignore', 'ignore'] });
    shell.stdin.end(text);
    const code = await new Promise((resolve) => shell.on('close', resolve));
    server.close();
    assert.equal(code, 0);
    assert.deepEqual(
      received.map((one) => JSON.parse(one) as unknown),
      [body],
    );
  });
});

describe('The redaction of a request', () => {
  it('leaves keys out everywhere and keeps everything else', () => {
    const body = {
      model: 'm',
      messages: [{ role: 'user', content: `Use ${key} now` }],
      options: { num_ctx: 8 },
      truncate: false,
    };
    assert.deepEqual(redactRequest(body, isSecret), {
      ...body,
      messages: [{ role: 'user', content: 'Use [key left out] now' }],
    });
    const harmless = {
      model: 'm',
      messages: [{ role: 'user', content: 'Hello', images: ['QUJD'] }],
      tools: [{ type: 'function' }],
    };
    assert.deepEqual(redactRequest(harmless, isSecret), harmless);
  });

  it('leaves out the results of calls on secret files, native and printed', () => {
    const native: WireMessage[] = [
      { role: 'assistant', content: '', tool_calls: [call('1', '.env'), call('2', 'a.ts')] },
      { role: 'tool', content: 'PASSWORD=hunter2', tool_call_id: '1' },
      { role: 'tool', content: 'const a = 1;', tool_call_id: '2' },
    ];
    assert.deepEqual(redacted(native), [native[0], { ...native[1], content: '[left out]' }, native[2]]);
    const printed = printedAnswer(
      '',
      [printCall('read_file', { path: 'x/.env' })],
      [printResult('read_file', 'PASSWORD=hunter2')],
    );
    assert.ok(!JSON.stringify(redacted(printed)).includes('hunter2'));
    const open = printedAnswer('', [printCall('read_file', { path: 'a.ts' })], [printResult('read_file', 'const a = 1;')]);
    assert.deepEqual(redacted(open), open);
  });

  it('leaves out attached secret files, also when the fence was cut', () => {
    const attachment = (path: string, content: string) => ({ kind: 'file' as const, path, content });
    const content = withAttachments('Why?', [attachment('.env', 'A=hunter2\n```\nB=2'), attachment('a.ts', 'const a = 1;')]);
    const [message] = redacted([{ role: 'user', content }]) as [WireMessage];
    assert.equal(
      message.content,
      'Attached file: .env\n````\n[left out]\n````\n\nAttached file: a.ts\n```\nconst a = 1;\n```\n\nWhy?',
    );
    const cut = redacted([{ role: 'user', content: 'Attached file: .env, lines 1 to 9\n```\nA=hunter2' }]);
    assert.deepEqual(cut, [{ role: 'user', content: 'Attached file: .env, lines 1 to 9\n```\n[left out]' }]);
  });
});
