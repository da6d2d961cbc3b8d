import type { Entry } from '../../protocol/entries';
import { selectConversation } from '../../protocol/reducer/timelineReducer';
import type { AgentFile } from '../../services/instructions/agentFiles';
import type { Tool } from '../tools/kernel/tool';

/** Returns the name of the agent that was chosen for the last message, or null if there is none. */
export function findAgentName(entries: readonly Entry[]): string | null {
  const message = selectConversation(entries).findLast((entry) => entry.type === 'user_input');
  return message?.data.attachments.find(({ kind }) => kind === 'agent')?.path ?? null;
}

type NamedTool = Pick<Tool, 'name' | 'modes' | 'facts'>;
const reads = ({ modes }: NamedTool): boolean => modes === 'every';
const edits = ({ facts }: NamedTool): boolean => facts.effect === 'files';
const runs = ({ name, facts }: NamedTool): boolean => facts.effect === 'command' && !name.includes('__');

/** Tool sets that agent files can name (code.visualstudio.com, *Custom agents*, as of 2026). */
const toolSets: Readonly<Record<string, (tool: NamedTool) => boolean>> = {
  read: reads,
  search: reads,
  codebase: reads,
  usages: reads,
  problems: reads,
  changes: reads,
  edit: edits,
  editfiles: edits,
  new: edits,
  execute: runs,
  runcommands: runs,
  terminal: runs,
  runtests: runs,
  todo: ({ name }) => name === 'update_todos',
  todos: ({ name }) => name === 'update_todos',
  agent: ({ name }) => name === 'run_subagent',
  runsubagent: ({ name }) => name === 'run_subagent',
};
/** Tools that every agent can use. */
const always = ['ask_user', 'complete_step'];

/**
 * Returns whether an agent may use a tool. The agent file must name the tool or a set that
 * contains it, or name no tools at all. `server/tool` and `server/*` refer to MCP servers.
 */
export function mayUse({ tools }: Pick<AgentFile, 'tools'>, tool: NamedTool): boolean {
  if (tools === null || always.includes(tool.name)) return true;
  return tools.some((wanted) => {
    if (wanted === tool.name || toolSets[wanted.toLowerCase()]?.(tool) === true) return true;
    const [server, name] = wanted.split('/');
    return name !== undefined && (name === '*' ? tool.name.startsWith(`${server}__`) : tool.name === `${server}__${name}`);
  });
}
