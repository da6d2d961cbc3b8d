/** Kinds of instruction files, by the name that the setting `agent.instructionFiles` has for them. */
export const instructionKinds = [
  ...(['AGENTS.md', '.github/copilot-instructions.md', '.github/instructions', 'CLAUDE.md', '.github/agents'] as const),
];

export type InstructionKind = (typeof instructionKinds)[number];

/** Tells whether a file describes a skill, by its path in the workspace folder with `/`. */
export function isSkill(path: string): boolean {
  return /^\.(?:github|claude|agents)\/skills\/[^/]+\/SKILL\.md$/.test(path);
}

/** Tells whether a file is a prompt that a person runs with `/`. */
export function isPrompt(path: string): boolean {
  return /^\.github\/prompts\/[^/]+\.prompt\.md$/.test(path);
}

/** Tells whether a file describes an agent, which a person chooses as a mode. */
export function isAgent(path: string): boolean {
  return /^\.github\/(?:agents\/[^/]+\.agent|chatmodes\/[^/]+\.chatmode)\.md$/.test(path);
}

/** Returns the kind of a file, by its path in the workspace folder with `/`; null for one that holds no instructions. */
export function instructionKindOf(path: string): InstructionKind | null {
  if (path === '.github/copilot-instructions.md') return path;
  if (/^\.github\/instructions\/.+\.instructions\.md$/.test(path)) return '.github/instructions';
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name === 'AGENTS.md' || name === 'CLAUDE.md' ? name : null;
}
