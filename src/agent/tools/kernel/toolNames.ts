import type { Tool } from './tool';

/**
 * Returns the tool for a name. Tries an exact match, then a match that ignores case, punctuation or
 * a prefix such as `functions.`, then alternative names. Returns undefined if no match is unique.
 */
export function toolNamed(name: string, tools: readonly Pick<Tool, 'name' | 'otherNames'>[]): string | undefined {
  if (tools.some((tool) => tool.name === name)) return name;
  const letters = keepLetters(name);
  const alike = tools.filter((tool) => keepLetters(tool.name) === letters);
  const meant = alike.length > 0 ? alike : tools.filter(({ otherNames }) => otherNames.includes(letters));
  return meant.length === 1 ? meant[0]?.name : undefined;
}

function keepLetters(name: string): string {
  return name
    .replace(/^(?:default_api|functions?|tools?)[.:/]/i, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}
