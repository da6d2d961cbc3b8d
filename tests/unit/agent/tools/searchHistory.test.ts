import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { ApprovalQuestion } from '../../../../src/agent/kernel/approvalQuestion';
import { readOnlyContext } from '../../../../src/agent/tools/kernel/readOnlyContext';
import { AgentBench } from '../support/agentBench';
import type { BenchOptions } from '../support/agentBenchOptions';
import { eventually } from '../../../support/until';

describe('search_history', () => {
  let bench: AgentBench;
  const start = async (options: BenchOptions = {}) => {
    const models = [
      { name: 'worker', capabilities: ['completion', 'tools'] as const, contextLength: 32_768 },
      { name: 'all-minilm', capabilities: ['embedding'] as const },
    ];
    bench = await AgentBench.start({
      models,
      settings: { 'embedding.model': 'all-minilm', 'agent.loadTools': false },
      ...options,
    });
  };
  beforeEach(() => start());
  afterEach(() => bench.stop());

  /** Runs one search and returns the result for the model. */
  async function search(query: string): Promise<string> {
    bench.double.script.push({ steps: [{ call: { name: 'search_history', arguments: { query } } }] }, 'Done. [TASK_COMPLETE]');
    const sessionId = await bench.ask('Look');
    const { entries } = await bench.database.log.read(sessionId, 0);
    return entries.findLast(({ type }) => type === 'tool_result')?.content ?? '';
  }

  it('is made ready, as the index of the workspace is, when the server has told of its models', async () => {
    await writeFile(bench.file('prices.py'), 'def total_price(items):\n    return sum(items)\n');
    const { id } = await bench.database.sessions.create({ title: '', mode: 'ask', model: null, projectPath: null });
    await bench.database.log.append(id, {
      type: 'user_input',
      content: 'Where is the sum?',
      data: { mode: 'ask', attachments: [] },
    });
    bench.codebase.startIndexing();
    bench.messages.startInit();
    await bench.codebase.settled();
    await bench.codebase.embed();
    await bench.messages.indexMessages();
    assert.equal((await bench.codebase.status()).vectors, 0, 'nobody knows yet which models there are');
    bench.codebase.pause(true);
    await bench.models.refresh();
    await setTimeout(50);
    assert.deepEqual(
      await Promise.all([bench.codebase.status(), bench.messages.state()]).then((all) => all.map(({ vectors }) => vectors)),
      [0, 0],
    );
    bench.codebase.pause(false);
    const vectors = async () => [(await bench.codebase.status()).vectors, (await bench.messages.state()).vectors];
    await eventually(async () => assert.deepEqual(await vectors(), [1, 1]));
  });

  it('tells the model what was said in other conversations, and nothing of deleted ones', async () => {
    bench.double.script.push('Use port 4711. [TASK_COMPLETE]');
    const earlier = await bench.ask('Which port does the staging server have?');
    await bench.messages.indexMessages();
    const told = await search('port of staging');
    assert.match(told, /^In “Which port does the staging server have\?”: /m);
    assert.match(told, /Use port 4711/);
    await bench.database.sessions.delete(earlier);
    assert.doesNotMatch(await search('port of staging'), /4711/);
  });

  /** Stores a conversation that belongs to a folder, or to none. */
  async function said(projectPath: string | null, title: string, ...texts: string[]): Promise<void> {
    const { id } = await bench.database.sessions.create({ title, mode: 'ask', model: null, projectPath });
    for (const content of texts)
      await bench.database.log.append(id, { type: 'user_input', content, data: { mode: 'ask', attachments: [] } });
  }

  it('tells nothing of conversations of other projects, or of none, by words or by meaning', async () => {
    await said(bench.folders.workspace, 'Ours', 'the staging port is 4711');
    await said('/elsewhere/shop', 'Theirs', 'the staging port is 5822');
    await said(null, 'Nobody’s', 'the staging port is 6933');
    await bench.models.refresh();
    await bench.messages.indexMessages();
    const told = await search('staging port');
    assert.match(told, /4711/);
    assert.doesNotMatch(told, /5822|6933|Theirs|Nobody/);
    const { found } = await bench.messages.searchSemantic('staging port', 1, { folders: ['/elsewhere/shop'], isOther: false });
    assert.deepEqual(
      found.map(({ line }) => line.text),
      ['the staging port is 5822'],
    );
  });

  /** Runs the tool without a chat and answers its questions with `isAllowed`. Returns the result for the model and the questions. */
  async function called(input: Record<string, unknown>, isAllowed: boolean) {
    const questions: ApprovalQuestion[] = [];
    const approve = async (question: ApprovalQuestion) => {
      questions.push(question);
      return isAllowed;
    };
    const prepared = bench.registry.get('search_history')?.prepare(input);
    assert.ok(prepared?.isValid);
    const { content } = await prepared.run({ ...readOnlyContext('', new AbortController().signal), approve });
    return { content, questions };
  }

  it('tells only of conversations without a folder where no folder is open, by words or by meaning', async () => {
    await bench.stop();
    await start({ hasFolder: false });
    await said('/elsewhere/shop', 'Theirs', 'the staging port is 5822');
    await said('', 'Unnamed', 'the staging port is 7044');
    await said(null, 'Nobody’s', 'the staging port is 6933');
    const byWords = await called({ query: 'staging port' }, true);
    await bench.models.refresh();
    await bench.messages.indexMessages();
    for (const { content, questions } of [byWords, await called({ query: 'staging port' }, true)]) {
      assert.equal(content, 'In “Nobody’s”: the staging port is 6933');
      assert.deepEqual(questions, []);
    }
    const { found } = await bench.messages.searchSemantic('staging port', 10, { folders: [], isOther: false });
    assert.deepEqual(
      found.map(({ line }) => line.text),
      ['the staging port is 6933'],
    );
  });

  it('asks where no folder is open, too, and names the projects', async () => {
    await bench.stop();
    await start({ hasFolder: false });
    await said('/elsewhere/shop', 'Theirs', 'the staging port is 5822');
    await said(null, 'Nobody’s', 'the staging port is 6933');
    for (const isAllowed of [false, true]) {
      const { content, questions } = await called({ query: 'staging port', otherProjects: true }, isAllowed);
      assert.deepEqual(
        questions.map(({ kind, projects }) => [kind, projects]),
        [['read', ['/elsewhere/shop']]],
      );
      assert.deepEqual([/6933/.test(content), /5822|Theirs/.test(content)], [true, isAllowed]);
    }
  });

  for (const otherProjects of [false, true])
    it(`tells a subagent nothing of other projects${otherProjects ? ', even if it asks for them' : ''}`, async () => {
      await said(bench.folders.workspace, 'Ours', 'the staging port is 4711');
      await said('/elsewhere/shop', 'Theirs', 'the staging port is 5822');
      const explore = { call: { name: 'run_subagent', arguments: { task: 'Find the port' } } };
      const look = { call: { name: 'search_history', arguments: { query: 'staging port', otherProjects } } };
      bench.double.script.push([explore], [look], 'That is all.', 'Done. [TASK_COMPLETE]');
      const sessionId = await bench.ask('Have it looked up');
      const [, , afterSearch] = bench.chats().map(({ messages }) => JSON.stringify(messages));
      assert.match(afterSearch ?? '', /4711/, 'the subagent has searched');
      assert.equal(/Nothing from other projects can be given/.test(afterSearch ?? ''), otherProjects);
      assert.doesNotMatch(JSON.stringify(bench.chats()), /5822|Theirs|elsewhere/);
      const { entries } = await bench.database.log.read(sessionId, 0);
      assert.doesNotMatch(JSON.stringify(entries), /5822|Theirs|elsewhere/);
    });

  it('asks before it tells of other projects, naming those, and tells nothing of them where it may not', async () => {
    await said('/elsewhere/shop', 'Theirs', 'the staging port is 5822');
    await said('/elsewhere/bank', 'More', 'the staging port of the bank');
    await said('/elsewhere/quiet', 'Quiet', 'nothing of the kind');
    for (const isAllowed of [false, true]) {
      const call = { name: 'search_history', arguments: { query: 'staging port', otherProjects: true } };
      bench.double.script.push({ steps: [{ call }] }, 'Done. [TASK_COMPLETE]');
      const sessionId = await bench.send('Look everywhere');
      const { data } = await bench.question(sessionId);
      assert.deepEqual([data.kind, data.projects?.toSorted()], ['read', ['/elsewhere/bank', '/elsewhere/shop']]);
      assert.equal(data.path, data.projects?.join(', '));
      await bench.controller.decideApproval(sessionId, data.approvalId, isAllowed);
      await bench.over(sessionId);
      const { entries } = await bench.database.log.read(sessionId, 0);
      assert.equal(/5822/.test(entries.findLast(({ type }) => type === 'tool_result')?.content ?? ''), isAllowed);
    }
  });

  it('gives the same answer where other projects have nothing as where the person declined', async () => {
    const asks = () => called({ query: 'staging port', otherProjects: true }, false);
    const before = await asks();
    await said('/elsewhere/shop', 'Theirs', 'the staging port is 5822');
    const after = await asks();
    assert.equal(after.content, before.content);
    assert.deepEqual([before.questions.length, after.questions.length], [0, 1]);
  });

  it('leaves out messages that hold what looks like a key, whatever part of them is asked for', async () => {
    const key = `ghp_${'a1B2'.repeat(9)}`;
    await said(
      bench.folders.workspace,
      `Deploy with ${key}`,
      `the deploy token is ${key} for staging`,
      'deploy to staging on Friday',
    );
    await bench.models.refresh();
    await bench.messages.indexMessages();
    for (const query of ['deploy', 'ghp_a*', 'deploy -ghp_b*', 'token of staging']) {
      const told = await search(query);
      assert.doesNotMatch(told, /ghp_a1B2|token is/, query);
    }
    assert.match(await search('deploy friday'), /on Friday/);
  });
});
