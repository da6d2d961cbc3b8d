import { withoutHidden } from '../../utils/text/hiddenCharacters';
import type { WorkspaceFolder } from '../files/workspacePorts';
import { isAgent } from './instructionKinds';
import { oneLine, readText } from './instructionText';

/** Next step that an agent offers when it is done: another agent or mode, and what is said to it. */
export interface Handoff {
  label: string;
  agent: string;
  prompt: string;
  /** True if it is sent at once. */
  isSent: boolean;
}

/** An agent that the people who work on a workspace have described: Agent mode with instructions, tools and a model of its own. */
export interface AgentFile {
  name: string;
  description: string;
  shown: string;
  /** Text without front matter and hidden characters. */
  text: string;
  /** Hidden characters that were taken out. */
  hidden: number;
  /** Tools that it may use, as its file names them; null: all. */
  tools: readonly string[] | null;
  model: string | null;
  handoffs: readonly Handoff[];
}

/** Handoffs of one agent at the most. */
const maxHandoffs = 5;

/** Reads an agent; null where the file is none, or empty. `prefix`: name of the folder, where there are several. */
export async function readAgent(folder: WorkspaceFolder, path: string, prefix: string | null): Promise<AgentFile | null> {
  const found = isAgent(path) ? await readText(folder, path) : null;
  if (found === null) return null;
  const { fields, lists, text, hidden } = found;
  const named = oneLine(fields['name'] ?? '');
  const fileName = path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:agent|chatmode)\.md$/, '');
  const { tools } = fields;
  return {
    name: (named === '' ? oneLine(fileName) : named).slice(0, 60),
    description: oneLine(fields['description'] ?? ''),
    shown: prefix === null ? path : `${prefix}/${path}`,
    ...{ text, hidden },
    tools:
      tools === undefined
        ? null
        : tools
            .split(',')
            .map((tool) => tool.trim())
            .filter((tool) => tool !== ''),
    model: fields['model'] === undefined || fields['model'] === '' ? null : oneLine(fields['model']),
    handoffs: (lists['handoffs'] ?? []).slice(0, maxHandoffs).flatMap(handoffOf),
  };
}

function handoffOf({ label = '', agent = '', prompt = '', send = '' }: Readonly<Record<string, string>>): Handoff[] {
  const shown = oneLine(label).slice(0, 60);
  if (shown === '' || agent === '') return [];
  return [{ label: shown, agent: oneLine(agent), prompt: withoutHidden(prompt).text.trim(), isSent: send === 'true' }];
}
