import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Settings } from '../../../src/config/settings';
import type { WorkspacePort } from '../../../src/services/files/workspacePorts';
import { Instructions } from '../../../src/services/instructions/instructions';
import { silentLogger } from '../../../src/utils/logger';
import { ManualClock } from '../database/support/manualClock';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';

describe('instructions of a workspace', () => {
  let bench: AgentBench;
  afterEach(() => bench?.stop());

  async function start(files: Record<string, string>, options: BenchOptions = {}): Promise<void> {
    bench = await AgentBench.start(options);
    for (const [name, text] of Object.entries(files)) put(name, text);
  }

  function put(name: string, text: string): void {
    mkdirSync(path.dirname(bench.file(name)), { recursive: true });
    writeFileSync(bench.file(name), text);
  }

  /** Sends a message and returns the system prompt of its request. */
  async function prompt(): Promise<string> {
    bench.double.script.push('Done. [TASK_COMPLETE]');
    await bench.ask('Go');
    const body = bench.double.requestsTo('/api/chat').at(-1)?.body as { messages: { role: string; content: string }[] };
    assert.equal(body.messages[0]?.role, 'system');
    return body.messages[0]?.content ?? '';
  }

  it('are found soon after the file is there', async () => {
    await start({});
    const clock = new ManualClock();
    const folder = { name: 'project', path: path.dirname(bench.file('AGENTS.md')) };
    const workspace = { folders: () => [folder], isTrusted: () => true } as unknown as WorkspacePort;
    const instructions = new Instructions(
      { getConfig: () => ({ agent: { instructionFiles: ['AGENTS.md'] } }) } as unknown as Settings,
      workspace,
      clock,
      silentLogger,
    );
    assert.equal((await instructions.forWindow(8192)).prompt, '');
    put('AGENTS.md', 'Be brief.');
    await clock.advance(3000);
    assert.match((await instructions.forWindow(8192)).prompt, /Be brief\./);
  });

  const meter = async () =>
    (await bench.meter.use({ sessionId: null, mode: 'agent', model: 'worker', entries: [], loaded: () => null }))?.instructions;

  it('are in the prompt: what is about all files first, the nearest last, the same text once', async () => {
    await start({
      'AGENTS.md': 'Write British English.\n',
      'CLAUDE.md': 'Write British English.\n',
      '.github/copilot-instructions.md': 'Use pnpm.',
      '.github/instructions/tests.instructions.md': '---\napplyTo: "**/*.test.ts,**/*.spec.ts"\n---\nNo mocks.',
      '.github/instructions/every.instructions.md': "---\napplyTo: '**'\ndescription: All\n---\nBe brief.",
      'packages/api/AGENTS.md': 'Never change the schema.',
      'packages/api/deep/AGENTS.md': 'Generated: do not touch.',
      'node_modules/lib/AGENTS.md': 'Nothing for us.',
    });
    const text = await prompt();
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    assert.deepEqual(headings, [
      'AGENTS.md',
      '.github/copilot-instructions.md',
      '.github/instructions/every.instructions.md',
      '.github/instructions/tests.instructions.md (for files that match **/*.test.ts,**/*.spec.ts)',
      'packages/api/AGENTS.md (for files below packages/api, before those above)',
      'packages/api/deep/AGENTS.md (for files below packages/api/deep, before those above)',
    ]);
    for (const words of ['Write British English.', 'Use pnpm.', 'Be brief.', 'No mocks.', 'Never change the schema.'])
      assert.equal(text.split(words).length, 2, words);
    assert.doesNotMatch(text, /Nothing for us|applyTo/);
    assert.deepEqual(
      (await meter())?.map(({ shown, isLeftOut }) => [shown, isLeftOut]),
      headings.map((heading) => [heading?.replace(/ \(.*/, ''), false]),
    );
  });

  it('name the skills, whose files are read when they are needed; prompts are for a person', async () => {
    await start({
      '.claude/skills/release/SKILL.md': '---\nname: release\ndescription: How a version is released\n---\nSecret steps.',
      '.agents/skills/broken/SKILL.md': 'No head.',
      '.claude/skills/empty/SKILL.md': '',
      '.github/prompts/changelog.prompt.md': '---\ndescription: Write the changelog\n---\nList what changed.',
    });
    const text = await prompt();
    assert.match(text, /^- release \(\.claude\/skills\/release\/SKILL\.md\): How a version is released$/m);
    assert.match(text, /^- broken \(\.agents\/skills\/broken\/SKILL\.md\): no description$/m);
    assert.doesNotMatch(text, /Secret steps|List what changed|No head|empty/);
    assert.deepEqual(
      ((await meter()) ?? []).toSorted((one, other) => (one.shown < other.shown ? -1 : 1)),
      [
        { shown: '.agents/skills/broken/SKILL.md', isLeftOut: false, hidden: 0, problem: 'noDescription' },
        { shown: '.claude/skills/empty/SKILL.md', isLeftOut: false, hidden: 0, problem: 'unreadable' },
        { shown: '.claude/skills/release/SKILL.md', isLeftOut: false, hidden: 0 },
      ],
    );
    assert.deepEqual(await bench.instructions.prompts(), [
      { name: 'changelog', description: 'Write the changelog', text: 'List what changed.' },
    ]);
  });

  describe('an agent that a file describes', () => {
    const reviewer = [
      '---',
      'name: Reviewer',
      'description: Looks for faults',
      "tools: ['read', 'srv/look']",
      'model: other:7b',
      'handoffs:',
      '  - label: Mend them',
      '    agent: agent',
      '    prompt: Mend what you have found.',
      '    send: true',
      '  - agent: nobody',
      '---',
      'Name each fault with its line.',
    ].join('\n');
    const files = {
      'AGENTS.md': 'Be brief.',
      '.github/agents/reviewer.agent.md': reviewer,
      '.github/chatmodes/Tester.chatmode.md': 'Write tests first.',
      '.github/agents/notes.md': 'No agent.',
    };
    const chosen = { kind: 'agent', path: 'Reviewer' } as const;
    interface Sent {
      messages: { content: string }[];
      tools?: { function: { name: string } }[];
    }
    const sent = (): Sent => bench.chats().at(-1) as unknown as Sent;

    it('is listed with its handoffs, unless it is switched off or nobody trusts the folder', async () => {
      await start(files);
      assert.deepEqual(
        (await bench.instructions.agents()).map(({ name, description, model, handoffs }) => [name, description, model, handoffs]),
        [
          [
            ...['Reviewer', 'Looks for faults', 'other:7b'],
            [{ label: 'Mend them', agent: 'agent', prompt: 'Mend what you have found.', isSent: true }],
          ],
          ['Tester', '', null, []],
        ],
      );
      await bench.stop();
      await start(files, { settings: { 'agent.instructionFiles': ['AGENTS.md'] } });
      assert.deepEqual(await bench.instructions.agents(), []);
      await bench.stop();
      await start(files, { isTrusted: false });
      assert.deepEqual(await bench.instructions.agents(), []);
    });

    it('answers with its instructions before all others, counted in the meter, and with its tools alone', async () => {
      await start(files);
      bench.double.script.push('Line 3. [TASK_COMPLETE]', 'Done. [TASK_COMPLETE]');
      const sessionId = await bench.ask('Review it', { attachments: [chosen] });
      const [system, user] = sent().messages.map(({ content }) => content);
      assert.match(
        system ?? '',
        /## \.github\/agents\/reviewer\.agent\.md \(you work as “Reviewer”\)\nName each fault[^]*Be brief\./,
      );
      assert.equal(user, 'Review it');
      const names = (sent().tools ?? []).map((tool) => tool.function.name);
      assert.ok(names.includes('read_file'), names.join());
      assert.deepEqual(
        names.filter((name) => /replace|create|write|run_|update_todos/.test(name)),
        [],
      );
      const log = bench.view.entries(sessionId);
      const use = await bench.meter.use({ sessionId, mode: 'agent', model: 'worker', entries: log, loaded: () => null });
      assert.deepEqual(
        use?.instructions.map(({ shown }) => shown),
        ['.github/agents/reviewer.agent.md', 'AGENTS.md'],
      );
      await bench.ask('And now without', { sessionId });
      assert.doesNotMatch(sent().messages[0]?.content ?? '', /Name each fault/);
      assert.ok((sent().tools ?? []).some((tool) => tool.function.name === 'replace_in_file'));
    });

    it('that is not there any more is said, and nothing is asked', async () => {
      await start({});
      const sessionId = await bench.ask('Review it', { attachments: [chosen] });
      assert.match((await bench.seen(sessionId)).join('\n'), /error noAgent.*The agent “Reviewer” is no longer available/);
      assert.deepEqual(bench.chats(), []);
    });
  });

  it('are the same bytes in each request as long as nobody changes them', async () => {
    await start({ 'AGENTS.md': 'One.', 'b/AGENTS.md': 'Two.' });
    assert.equal(await prompt(), await prompt());
  });

  it('take a fifth of the window at the most; what does not fit is named to the model and in the meter', async () => {
    await start({ 'AGENTS.md': 'Short.', 'docs/AGENTS.md': 'long '.repeat(2_000), 'z/AGENTS.md': 'Short too.' });
    const text = await prompt();
    assert.match(text, /Short\./);
    assert.match(text, /Short too\./);
    assert.doesNotMatch(text, /long long/);
    assert.match(text, /no room for: docs\/AGENTS\.md \(for files below docs/);
    assert.deepEqual(
      (await meter())?.map(({ shown, isLeftOut }) => [shown, isLeftOut]),
      [
        ['AGENTS.md', false],
        ['docs/AGENTS.md', true],
        ['z/AGENTS.md', false],
      ],
    );
  });

  it('lose characters that nobody sees, and that is told', async () => {
    const tags = [...'obey'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
    await start({ 'AGENTS.md': `Use tabs.${tags} \u202Eesrever\u202C and a family 👨‍👩‍👧.` });
    assert.match(await prompt(), /Use tabs\. esrever and a family 👨‍👩‍👧\./);
    assert.deepEqual(await meter(), [{ shown: 'AGENTS.md', isLeftOut: false, hidden: 6 }]);
  });

  it('are not taken from a folder that is not trusted, nor where the setting leaves them out', async () => {
    await start({ 'AGENTS.md': 'Do as I say.' }, { isTrusted: false });
    assert.doesNotMatch(await prompt(), /Do as I say/);
    await bench.stop();
    await start(
      { 'AGENTS.md': 'Do as I say.', 'CLAUDE.md': 'Claude only.' },
      { settings: { 'agent.instructionFiles': ['CLAUDE.md'] } },
    );
    const text = await prompt();
    assert.doesNotMatch(text, /Do as I say/);
    assert.match(text, /Claude only/);
  });

  it('do not come from outside of the workspace, whatever a link says', async () => {
    const outside = mkdtempSync(path.join(tmpdir(), 'instructions-'));
    writeFileSync(path.join(outside, 'AGENTS.md'), 'From elsewhere.');
    await start({ 'CLAUDE.md': 'From here.', '.git/HEAD': 'ref: refs/heads/main\n' });
    symlinkSync(path.join(outside, 'AGENTS.md'), bench.file('AGENTS.md'));
    const text = await prompt();
    rmSync(outside, { recursive: true });
    assert.doesNotMatch(text, /From elsewhere/);
    assert.match(text, /From here/);
  });
});
