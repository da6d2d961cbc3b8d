import type { Tool } from './tool';

/**
 * Returns the tool that is meant by a name: the very name, else one that differs in case, signs or a prefix such as `functions.`, else one of
 * its other names. undefined where no tool, or more than one, could be meant.
 */
export function toolNamed(name: string, tools: readonly Pick<Tool, 'name' | 'otherNames'>[]): string | undefined {
  if (tools.some((tool) => tool.name === name)) return name;
  const letters = lettersOf(name);
  const alike = tools.filter((tool) => lettersOf(tool.name) === letters);
  const meant = alike.length > 0 ? alike : tools.filter(({ otherNames }) => otherNames.includes(letters));
  return meant.length === 1 ? meant[0]?.name : undefined;
}

function lettersOf(name: string): string {
  return name
    .replace(/^(?:default_api|functions?|tools?)[.:/]/i, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}
