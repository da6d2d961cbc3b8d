/** Question to the user. Contains text of this product and untrusted facts. */
export interface AskedQuestion {
  title: string;
  /** Facts in reading order, starting with the risk. */
  facts: readonly AskedFact[];
}

export interface AskedFact {
  /** Label with at most nine characters. */
  label: string;
  text: string;
  /** True to keep line breaks. Otherwise, visible marks replace them. */
  isMultiline?: boolean;
}

const editTitles: Record<string, string> = {
  create: 'Allow creating this file?',
  delete: 'Allow deleting this file?',
  rename: 'Allow renaming this file?',
};

/**
 * Returns the question for an approval, based on the data of its entry or event. `workspace` is the
 * folder to show for a command without a folder.
 */
export function approvalQuestion(data: Readonly<Record<string, unknown>>, workspace = 'the workspace'): AskedQuestion {
  const { kind, operation, command, cwd, path, newPath, diff } = data;
  const tool = kind === 'tool' ? (data['tool'] as Partial<Record<string, unknown>> | undefined) : undefined;
  const projects = kind === 'read' ? listProjects(data) : [];
  const isFolder = kind === 'read' && projects.length === 0 && String(path).endsWith('/');
  const isInWorkspace = cwd === undefined || cwd === '' || cwd === '.';
  return {
    title:
      kind === 'command'
        ? data['sandbox'] === undefined
          ? 'Allow this command?'
          : 'The sandbox blocked this command'
        : kind === 'tool'
          ? 'Allow this tool call?'
          : kind === 'read'
            ? `Allow ${projects.length > 0 ? 'reading chats from other projects' : isFolder ? 'listing this folder' : 'reading this file'}?`
            : (editTitles[String(operation)] ?? 'Allow this edit?'),
    facts: [
      { label: 'Risk', text: describeRisk(data) },
      ...(kind === 'command' ? fact('Folder', isInWorkspace ? workspace : cwd) : []),
      ...(projects.length > 0 ? projects.map((text) => ({ label: 'Project', text })) : fact(isFolder ? 'Folder' : 'File', path)),
      ...fact('New name', newPath),
      ...(tool === undefined ? [] : [...fact('Tool', tool['name']), ...fact('Server', tool['origin'])]),
      ...(tool === undefined
        ? fact(kind === 'tool' ? 'Tool' : 'Command', command, true)
        : fact('Arguments', tool['arguments'], true)),
      ...(typeof diff === 'string' && diff !== '' ? fact('Changes', diff.replace(/\n$/, ''), true) : []),
      ...(tool === undefined || tool['description'] === '' ? [] : fact('It claims', tool['description'], true)),
    ],
  };
}

/** Returns the projects whose chats an approval is about, or an empty list. */
export function listProjects({ projects }: Readonly<Record<string, unknown>>): string[] {
  return Array.isArray(projects) ? projects.map(String) : [];
}

export function agentQuestion(content: string, options: readonly string[] = []): AskedQuestion {
  return {
    title: 'The agent has a question',
    facts: [
      { label: 'Question', text: content, isMultiline: true },
      ...options.map((text, index) => ({ label: index === 0 ? 'Answers' : '', text })),
    ],
  };
}

function describeRisk({ severity, reasons }: Readonly<Record<string, unknown>>): string {
  const why = Array.isArray(reasons) ? reasons.map(String).join('; ') : '';
  return [severity, why].filter((part) => typeof part === 'string' && part !== '').join(': ') || 'unknown';
}

function fact(label: string, text: unknown, isMultiline = false): AskedFact[] {
  return typeof text === 'string' ? [{ label, text, isMultiline }] : [];
}
