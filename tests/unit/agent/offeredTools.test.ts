import assert from 'node:assert/strict';
import { offeredTools } from '../../../src/agent/prompt/offeredTools';
import { workspaceTools, type ToolServices } from '../../../src/agent/tools/kernel/workspaceTools';
import type { ModelInfo } from '../../../src/types/model';

// The tools are not run here.
const registry = workspaceTools({ access: {} } as ToolServices);
const lookingInSmall = ['read_file', 'list_files', 'search_workspace'];
const looking = [
  ...['read_file', 'list_files', 'find_files', 'search_workspace', 'search_codebase', 'search_history'],
  ...['get_diagnostics', 'get_changed_files'],
];
const model = (tools: boolean) => ({ name: 'm', capabilities: { chat: true, tools } }) as ModelInfo;
const place = (isTrusted = true, folders = 1) => ({
  registry,
  workspace: { isTrusted: () => isTrusted, folders: () => Array.from({ length: folders }, () => ({ name: 'a', path: '/a' })) },
});
const names = (...of: Parameters<typeof offeredTools>) => offeredTools(...of).tools.names();

describe('the tools that are offered', () => {
  it('are all of them where the window has room, and fewer below 16k', () => {
    assert.deepEqual(names('agent', model(true), 16_000, place()), [
      ...looking,
      ...['create_file', 'replace_in_file', 'apply_patch', 'write_file', 'rename_file', 'delete_file'],
      ...['run_terminal_command', 'run_tests', 'get_terminal_output', 'run_subagent', 'update_todos', 'ask_user'],
    ]);
    assert.deepEqual(names('agent', model(true), 15_999, place()), [
      ...lookingInSmall,
      ...['create_file', 'replace_in_file', 'write_file', 'delete_file', 'run_terminal_command', 'get_terminal_output'],
    ]);
  });

  it('are listed with those that are off, in the same order', () => {
    const some = registry.with([], (name) => name === 'list_files');
    const all = some.all().map(({ tool, isOn }) => [tool.name, isOn]);
    assert.deepEqual(all.slice(0, 2), [
      ['read_file', true],
      ['list_files', false],
    ]);
    assert.equal(all.length, some.names().length + 1);
  });

  it('are those that read in Ask mode, where the model can call any and has room for them', () => {
    assert.deepEqual(names('ask', model(true), 16_000, place()), looking);
    assert.deepEqual(names('ask', model(true), 15_999, place()), lookingInSmall);
    assert.deepEqual(names('ask', model(false), 32_768, place()), []);
    assert.deepEqual(names('ask', model(true), 1024, place()), []);
  });

  it('are those that read and the one that asks in Plan mode, also where the model writes its calls as text', () => {
    assert.deepEqual(names('plan', model(true), 16_000, place()), [...looking, 'ask_user']);
    assert.deepEqual(names('plan', model(false), 8192, place()), [...lookingInSmall, 'ask_user']);
  });

  it('are those that change one given file in Edit mode', () => {
    assert.deepEqual(names('edit', model(true), 8192, place()), ['read_file', 'replace_in_file', 'write_file']);
  });

  it('tick off steps instead of todos while a plan is carried out', () => {
    const ticking = names('agent', model(true), 16_000, { ...place(), hasPlan: true });
    assert.deepEqual([ticking.includes('complete_step'), ticking.includes('update_todos')], [true, false]);
  });

  it('are none without trust or a folder, and an agent says why', () => {
    for (const [where, obstacle] of [
      [place(false), 'untrusted'],
      [place(true, 0), 'noFolder'],
    ] as const) {
      assert.deepEqual([names('agent', model(true), 32_768, where), names('ask', model(true), 32_768, where)], [[], []]);
      assert.equal(offeredTools('agent', model(true), 32_768, where).obstacle, obstacle);
    }
  });
});
