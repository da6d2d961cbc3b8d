import type { McpServerForm } from '../../../protocol/forms/mcpServerForm';
import { t } from '../../translate';

/** Server to begin a form with. */
interface ReferenceServer {
  title: string;
  /** Abilities, in one line. */
  about: string;
  form: McpServerForm;
}

/**
 * Lists the reference servers of the protocol that are on npm, as of github.com/modelcontextprotocol/servers at 76d64c8 (July 2026). The
 * others there, Fetch, Git and Time, are written in Python.
 */
export function referenceServers(): ReferenceServer[] {
  return [
    {
      title: 'Filesystem',
      about: t('Reads, writes, moves and searches files, in the folders that its arguments name.'),
      form: npx('filesystem', ['${workspaceFolder}']),
    },
    {
      title: 'Memory',
      about: t('Remembers facts and how they relate, from one chat to the next, in a file.'),
      form: npx('memory', [], [{ name: 'MEMORY_FILE_PATH', value: '${userHome}/mcp-memory.jsonl' }]),
    },
    {
      title: 'Sequential Thinking',
      about: t('Lets the model think in numbered steps, which it can revise and branch.'),
      form: npx('sequential-thinking'),
    },
    {
      title: 'Everything',
      about: t('Has an example of every feature of the protocol, to try out how servers work here.'),
      form: npx('everything'),
    },
  ];
}

function npx(name: string, more: readonly string[] = [], env: { name: string; value: string }[] = []): McpServerForm {
  const args = ['-y', `@modelcontextprotocol/server-${name}`, ...more];
  return { name, reach: { kind: 'stdio', command: 'npx', args, env, cwd: null } };
}
