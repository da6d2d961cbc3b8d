/** Kinds of instruction files, as named in the setting `agent.instructionFiles`. */
export const instructionKinds = [
  ...(['AGENTS.md', '.github/copilot-instructions.md', '.github/instructions', 'CLAUDE.md', '.github/agents'] as const),
];

export type InstructionKind = (typeof instructionKinds)[number];

/** Returns whether a file is a skill. `path` is relative to the workspace folder, with `/`. */
export function isSkill(path: string): boolean {
  return /^\.(?:github|claude|agents)\/skills\/[^/]+\/SKILL\.md$/.test(path);
}

/** Returns whether a file is a prompt that the user runs with `/`. */
export function isPrompt(path: string): boolean {
  return /^\.github\/prompts\/[^/]+\.prompt\.md$/.test(path);
}

/** Returns whether a file is a custom agent that the user selects as a mode. */
export function isAgent(path: string): boolean {
  return /^\.github\/(?:agents\/[^/]+\.agent|chatmodes\/[^/]+\.chatmode)\.md$/.test(path);
}

/** Returns the kind of an instruction file, or null for other files. `path` is relative to the workspace folder, with `/`. */
export function findInstructionKind(path: string): InstructionKind | null {
  if (path === '.github/copilot-instructions.md') return path;
  if (/^\.github\/instructions\/.+\.instructions\.md$/.test(path)) return '.github/instructions';
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name === 'AGENTS.md' || name === 'CLAUDE.md' ? name : null;
}
