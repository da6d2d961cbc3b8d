import { createHash } from 'node:crypto';

const maxServer = 24;
const maxName = 64;

/** Tool with the name that its server uses. */
export interface NamedTool {
  server: string;
  tool: string;
}

/**
 * Returns a unique name for each tool in the given order: `server__tool` with letters, digits, `_` and `-`. Ambiguous
 * names get part of a hash as a suffix, so that no tool can take the name of another, whichever servers are running.
 */
export function toolNames(tools: readonly NamedTool[]): string[] {
  const plain = tools.map(({ server, tool }) => `${safe(server).slice(0, maxServer)}__${safe(tool)}`);
  const count = new Map<string, number>();
  for (const name of plain.map(keepLetters)) count.set(name, (count.get(name) ?? 0) + 1);
  return plain.map((name, index) => {
    const { server, tool } = tools[index] as NamedTool;
    const isWhole = name === `${server}__${tool}` && name.length <= maxName;
    if (isWhole || (name.length <= maxName && count.get(keepLetters(name)) === 1)) return name;
    const mark = createHash('sha256')
      .update(JSON.stringify([server, tool]))
      .digest('hex')
      .slice(0, 6);
    return `${name.slice(0, maxName - mark.length - 1)}_${mark}`;
  });
}

/** Normalizes a name in the same way as `toolNamed`, because a model may change its spelling. */
function keepLetters(name: string): string {
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
