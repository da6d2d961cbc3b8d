import type { AttachmentRef } from '../entries';

/** References that consist of a single word, such as `#problems`. Null stands for the selection in the editor. */
export const namedReferences = {
  codebase: { kind: 'workspace', path: '@workspace' },
  selection: null,
  problems: { kind: 'problems', path: '#problems' },
  changes: { kind: 'changes', path: '#changes' },
  terminal: { kind: 'terminal', path: '#terminal' },
} as const satisfies Record<string, AttachmentRef | null>;

/** Codicon for each kind of attachment. */
export const attachmentIcons: Record<AttachmentRef['kind'], string> = {
  file: 'file',
  selection: 'list-selection',
  folder: 'folder',
  problems: 'warning',
  changes: 'diff-multiple',
  terminal: 'terminal',
  workspace: 'root-folder',
  editor: 'file',
  image: 'file-media',
  agent: 'agent',
};
