import { withoutHidden } from '../../utils/text/hiddenCharacters';
import type { WorkspaceFolder } from '../files/workspacePorts';
import { isAgent } from './instructionKinds';
import { toOneLine, readInstructionText } from './instructionText';

/** Next step that an agent offers after it has finished: another agent or mode, with a prompt for it. */
export interface AgentHandoff {
  label: string;
  agent: string;
  prompt: string;
  /** True if the prompt is sent automatically. */
  isSent: boolean;
}

/** Custom agent of a workspace. It is Agent mode with its own instructions, tools and model. */
export interface AgentFile {
  name: string;
  description: string;
  shown: string;
  /** Text without front matter and without hidden characters. */
  text: string;
  /** Number of removed hidden characters. */
  hidden: number;
  /** False if a part of the front matter could not be read. */
  isComplete: boolean;
  /** Allowed tools as named in the file. Null allows all. */
  tools: readonly string[] | null;
  model: string | null;
  handoffs: readonly AgentHandoff[];
}

const maxHandoffs = 5;

/**
 * Reads an agent file. Returns null if the file is empty, unreadable or not an agent. `prefix` is the name of the workspace
 * folder, or null if there is only one.
 */
export async function readAgent(folder: WorkspaceFolder, path: string, prefix: string | null): Promise<AgentFile | null> {
  const found = isAgent(path) ? await readInstructionText(folder, path) : null;
  if (found === null) return null;
  const { fields, lists, text, hidden, isComplete } = found;
  const named = toOneLine(fields['name'] ?? '');
  const fileName = path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:agent|chatmode)\.md$/, '');
  const { tools } = fields;
  return {
    name: (named === '' ? toOneLine(fileName) : named).slice(0, 60),
    description: toOneLine(fields['description'] ?? ''),
    shown: prefix === null ? path : `${prefix}/${path}`,
    text,
    hidden,
    isComplete,
    tools:
      tools === undefined
        ? null
        : tools
            .split(',')
            .map((tool) => tool.trim())
            .filter((tool) => tool !== ''),
    model: fields['model'] === undefined || fields['model'] === '' ? null : toOneLine(fields['model']),
    handoffs: (lists['handoffs'] ?? []).slice(0, maxHandoffs).flatMap(readHandoff),
  };
}

function readHandoff({ label = '', agent = '', prompt = '', send = '' }: Readonly<Record<string, string>>): AgentHandoff[] {
  const shown = toOneLine(label).slice(0, 60);
  if (shown === '' || agent === '') return [];
  return [{ label: shown, agent: toOneLine(agent), prompt: withoutHidden(prompt).text.trim(), isSent: send === 'true' }];
}
