import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { offeredToolsContribution } from '../../../src/composition/contributions/offeredToolsContribution';
import type { WindowServices } from '../../../src/composition/contribution';
import { Settings } from '../../../src/config/settings';
import type { Disposable } from '../../../src/utils/disposable';
import { AgentBench } from '../agent/support/agentBench';

type Registered = vscode.LanguageModelTool<Record<string, unknown>>;

/** Our tools, called by VS Code's own chat and other extensions, on a complete agent. */
describe('The tools for the chat of VS Code', () => {
  const api = vscode.lm as unknown as Record<string, unknown>;
  const registered = new Map<string, Registered>();
  let bench: AgentBench;
  let contribution: Disposable;

  beforeEach(() => {
    api['registerTool'] = (name: string, tool: Registered) => {
      registered.set(name, tool);
      return { dispose: () => registered.delete(name) };
    };
  });
  afterEach(async () => {
    await contribution.dispose();
    delete api['registerTool'];
    await bench.stop();
  });

  async function start(hasFolder: boolean): Promise<void> {
    bench = await AgentBench.start({ hasFolder });
    const settings = new Settings({ get: (key) => (key === 'languageModels.offerTools' ? true : undefined) }, () =>
      assert.fail(),
    );
    const chat = async () => ({ stored: async () => ({ registry: bench.registry }) });
    contribution = offeredToolsContribution.start({ settings, chat } as unknown as WindowServices);
  }

  async function said(projectPath: string | null, title: string, content: string): Promise<void> {
    const { id } = await bench.database.sessions.create({ title, mode: 'ask', model: null, projectPath });
    await bench.database.log.append(id, { type: 'user_input', content, data: { mode: 'ask', attachments: [] } });
  }

  async function searched(input: Record<string, unknown>): Promise<string> {
    const tool = registered.get('ollamaCopilot_searchHistory');
    assert.ok(tool);
    const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };
    const result = await tool.invoke({ input, toolInvocationToken: undefined }, token);
    const parts = result?.content ?? [];
    return parts.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
  }

  /** Inputs that a model can send, including arguments that `package.json` does not declare. */
  const inputs = [{}, { otherProjects: true }, { allProjects: 'true' }].map((more) => ({ query: 'staging port', ...more }));

  it('tell nothing of chats of other projects, whatever a model sends', async () => {
    await start(true);
    await said(bench.folders.workspace, 'Ours', 'the staging port is 4711');
    await said('/elsewhere/shop', 'Theirs', 'the staging port is 5822');
    await said(null, 'Nobody’s', 'the staging port is 6933');
    for (const input of inputs) assert.equal(await searched(input), 'In “Ours”: the staging port is 4711');
  });

  it('tell nothing of chats of a project where no folder is open', async () => {
    await start(false);
    await said('/elsewhere/shop', 'Theirs', 'the staging port is 5822');
    await said(null, 'Nobody’s', 'the staging port is 6933');
    for (const input of inputs) assert.equal(await searched(input), 'In “Nobody’s”: the staging port is 6933');
  });
});
