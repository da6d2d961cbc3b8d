import assert from 'node:assert/strict';
import { offeredTools } from '../../../src/agent/offeredTools';
import type { Tool } from '../../../src/agent/tool';
import { ToolRegistry } from '../../../src/agent/toolRegistry';
import type { ModelInfo } from '../../../src/types/model';

const tool = (name: string, access: Tool['access'], isExtra = false) => ({ name, access, isExtra }) as Tool;
const registry = new ToolRegistry([
  tool('read_file', 'read'),
  tool('write_file', 'write'),
  tool('rename_file', 'write', true),
  tool('find_files', 'read', true),
]);
const model = (tools: boolean) => ({ name: 'm', capabilities: { chat: true, tools } }) as ModelInfo;
const place = (isTrusted = true, folders = 1) => ({
  registry,
  workspace: { isTrusted: () => isTrusted, folders: () => Array.from({ length: folders }, () => ({ name: 'a', path: '/a' })) },
});
const names = (...of: Parameters<typeof offeredTools>) => offeredTools(...of).tools.names();

describe('the tools that are offered', () => {
  it('are all of them where the window has room, and fewer below 16k', () => {
    assert.deepEqual(names('agent', model(true), 32_768, place()), ['read_file', 'write_file', 'rename_file', 'find_files']);
    assert.deepEqual(names('agent', model(true), 8192, place()), ['read_file', 'write_file']);
  });

  it('are those that read in Ask mode, where the model can call any and has room for them', () => {
    assert.deepEqual(names('ask', model(true), 32_768, place()), ['read_file', 'find_files']);
    assert.deepEqual(names('ask', model(false), 32_768, place()), []);
    assert.deepEqual(names('ask', model(true), 1024, place()), []);
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
