import { createHash } from 'node:crypto';

const maxServer = 24;
const maxName = 64;

/** Tool under the name that its server has for it. */
export interface NamedTool {
  server: string;
  tool: string;
}

/**
 * Returns a name for each tool, in the given order: `server__tool`, of letters, digits, `_` and `-` alone. Names that would be the same are
 * told apart by a few digits of what they were made of, so that none can take the place of another, whichever server is there or not.
 */
export function toolNames(tools: readonly NamedTool[]): string[] {
  const plain = tools.map(({ server, tool }) => `${safe(server).slice(0, maxServer)}__${safe(tool)}`);
  const count = new Map<string, number>();
  for (const name of plain.map(lettersOf)) count.set(name, (count.get(name) ?? 0) + 1);
  return plain.map((name, index) => {
    const { server, tool } = tools[index] as NamedTool;
    const isWhole = name === `${server}__${tool}` && name.length <= maxName;
    if (isWhole || (name.length <= maxName && count.get(lettersOf(name)) === 1)) return name;
    const mark = createHash('sha256')
      .update(JSON.stringify([server, tool]))
      .digest('hex')
      .slice(0, 6);
    return `${name.slice(0, maxName - mark.length - 1)}_${mark}`;
  });
}

/** Returns what `toolNamed` compares: a model may write a name in other letters. */
function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function safe(text: string): string {
  return (
    text
      .normalize('NFKD')
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/_{2,}/g, '_')
      .replace(/^_+|_+$/g, '') || 'tool'
  );
}
