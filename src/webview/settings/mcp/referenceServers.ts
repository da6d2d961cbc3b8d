import type { McpServerForm } from '../../../protocol/forms/mcpServerForm';
import { t } from '../../translate';

interface ReferenceServer {
  title: string;
  about: string;
  form: McpServerForm;
}

/**
 * Lists the reference servers on npm, from github.com/modelcontextprotocol/servers at
 * 76d64c8 (July 2026). Fetch, Git and Time are written in Python.
 */
export function referenceServers(): ReferenceServer[] {
  return [
    {
      title: 'Filesystem',
      about: t('Reads, writes, moves and searches files in the folders that are listed in its arguments.'),
      form: npx('filesystem', ['${workspaceFolder}']),
    },
    {
      title: 'Memory',
      about: t('Stores facts and their relations in a file, so that later chats can use them.'),
      form: npx('memory', [], [{ name: 'MEMORY_FILE_PATH', value: '${userHome}/mcp-memory.jsonl' }]),
    },
    {
      title: 'Sequential Thinking',
      about: t('Lets the model think in numbered steps, which it can revise and branch.'),
      form: npx('sequential-thinking'),
    },
    {
      title: 'Everything',
      about: t('Contains an example of every MCP feature. Use it to try out MCP.'),
      form: npx('everything'),
    },
  ];
}

function npx(name: string, more: readonly string[] = [], env: { name: string; value: string }[] = []): McpServerForm {
  const args = ['-y', `@modelcontextprotocol/server-${name}`, ...more];
  return { name, reach: { kind: 'stdio', command: 'npx', args, env, cwd: null, isSandboxed: false } };
}
