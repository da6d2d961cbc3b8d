import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { ListSessionsResponse, NewSessionResponse } from '@agentclientprotocol/sdk';
import { hold } from '../../../support/ollama/doubleReply';
import { until } from '../../../support/until';
import { Workplace } from './workplace';

describe('sessions of the Agent Client Protocol', () => {
  let work: Workplace;

  beforeEach(async () => {
    work = await Workplace.open([{ name: 'worker', capabilities: ['completion', 'tools'] }]);
  });

  afterEach(() => work.close());

  const list = (params: object = {}) => work.editor.request<ListSessionsResponse>('session/list', params);

  async function answered(text: string, folder = work.folder): Promise<string> {
    const sessionId = await work.editor.begin(folder);
    work.double.script.push(`Answer to: ${text}`);
    await work.editor.prompt(sessionId, text);
    return sessionId;
  }

  it('are listed with folder, title and time, the last used first, without empty ones', async () => {
    const begun = Date.now();
    const other = path.join(work.root, 'other');
    await mkdir(other);
    const first = await answered('What is a cat?');
    const second = await answered('What is a dog?', other);
    await work.editor.begin(work.folder);
    const { sessions } = await list();
    assert.deepEqual(
      sessions.map(({ sessionId, cwd, title }) => ({ sessionId, cwd, title })),
      [
        { sessionId: second, cwd: other, title: 'What is a dog?' },
        { sessionId: first, cwd: work.folder, title: 'What is a cat?' },
      ],
    );
    const used = Date.parse(sessions[0]?.updatedAt ?? '');
    assert.ok(begun <= used && used <= Date.now(), sessions[0]?.updatedAt ?? '');
  });

  it('are listed by folder, also by a link to it, and before any session was opened', async () => {
    const other = path.join(work.root, 'other');
    await mkdir(other);
    await symlink(work.folder, path.join(work.root, 'link'));
    const first = await answered('What is a cat?');
    await answered('What is a dog?', other);
    await work.restart();
    await work.editor.request('initialize', { protocolVersion: 1 });
    const { sessions } = await list({ cwd: path.join(work.root, 'link') });
    assert.deepEqual(
      sessions.map(({ sessionId }) => sessionId),
      [first],
    );
    assert.deepEqual((await list({ cwd: path.join(work.root, 'nowhere') })).sessions, []);
    await assert.rejects(list({ cwd: 'project' }), /not an absolute path/);
    await assert.rejects(list({ cursor: 'x' }), { code: -32602, message: /Unknown cursor/ });
  });

  it('of other folders are neither listed nor opened where folders were given', async () => {
    const other = path.join(work.root, 'other');
    await mkdir(other);
    const first = await answered('What is a cat?');
    const second = await answered('What is a dog?', other);
    await work.restart([...work.args, work.folder]);
    await work.editor.request('initialize', { protocolVersion: 1 });
    const { sessions } = await list();
    assert.deepEqual(
      sessions.map(({ sessionId }) => sessionId),
      [first],
    );
    for (const method of ['session/load', 'session/resume'])
      await assert.rejects(work.editor.request(method, { sessionId: second, cwd: work.folder, mcpServers: [] }), {
        code: -32602,
        message: /belongs to another folder/,
      });
  });

  it('get their title after the first message', async () => {
    await answered('What is a cat?');
    await until(() => work.editor.updates.some((update) => update.sessionUpdate === 'session_info_update'));
    const told = work.editor.updates.find((update) => update.sessionUpdate === 'session_info_update');
    assert.equal(told?.sessionUpdate === 'session_info_update' && told.title, 'What is a cat?');
  });

  it('are resumed without their past, and go on with it', async () => {
    const sessionId = await answered('What is a cat?');
    const editor = await work.restart();
    await editor.request('initialize', { protocolVersion: 1 });
    const state = await editor.request<NewSessionResponse>('session/resume', { sessionId, cwd: work.folder });
    assert.equal(state.configOptions?.[0]?.id, 'mode');
    assert.deepEqual(editor.updates, []);
    work.double.script.push('Quite sure.');
    await editor.prompt(sessionId, 'Sure?');
    assert.equal(editor.textOf('agent_message_chunk'), 'Quite sure.');
    assert.match(JSON.stringify(work.double.requestsTo('/api/chat').at(-1)?.body), /Answer to: What is a cat/);
  });

  it('are closed with their run, whose prompt ends as cancelled', async () => {
    const sessionId = await work.editor.begin(work.folder);
    const held = hold();
    work.double.script.push([held.step, 'Never said.']);
    const prompted = work.editor.prompt(sessionId, 'What is a cat?');
    await until(() => work.double.requestsTo('/api/chat').length >= 1);
    await work.editor.request('session/close', { sessionId });
    held.release();
    assert.equal((await prompted).stopReason, 'cancelled');
    await assert.rejects(work.editor.prompt(sessionId, 'Still there?'), /Unknown session/);
    assert.equal((await list()).sessions.length, 1);
  });

  it('end a run when they are loaded again', async () => {
    const sessionId = await work.editor.begin(work.folder);
    const held = hold();
    work.double.script.push([held.step, 'Never said.'], 'Here.');
    const prompted = work.editor.prompt(sessionId, 'What is a cat?');
    await until(() => work.double.requestsTo('/api/chat').length >= 1);
    await work.editor.request('session/load', { sessionId, cwd: work.folder, mcpServers: [] });
    held.release();
    assert.equal((await prompted).stopReason, 'cancelled');
    assert.equal((await work.editor.prompt(sessionId, 'Are you there?')).stopReason, 'end_turn');
  });
});
