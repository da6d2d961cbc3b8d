import { callTool } from '../../../types/loadedTools';
import { isRecord } from '../../../utils/json';
import type { CallRisk } from '../../stream/callPlace';
import { readLooseJson } from '../../stream/looseJson';
import type { WrittenCall } from '../../stream/writtenCall';
import type { ToolRegistry } from './toolRegistry';

export interface CalledTool {
  name: string;
  input: Record<string, unknown>;
}

type Names = Pick<ToolRegistry, 'resolve' | 'names'>;

/** Keys under which models write the name and the arguments of the tool that `call_tool` should run. */
const nameKeys = ['name', 'tool', 'tool_name', 'function'];
const inputKeys = ['arguments', 'args', 'parameters', 'input'];
/** Maximum nesting depth of `call_tool` in its own arguments. */
const maxDepth = 3;

/**
 * Returns the call to run. For `call_tool`, this is the call in its arguments, otherwise
 * the call itself under its exact name. The arguments may be a JSON string, may be next to
 * the name, or may contain the whole call. A `call_tool` without a known tool is unchanged.
 */
export function calledTool({ name, input }: CalledTool, tools: Names): CalledTool {
  const called = tools.resolve(name) ?? name;
  if (called !== callTool) return { name: called, input };
  let inner: Record<string, unknown> = input;
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const nameKey = nameKeys.find((key) => typeof inner[key] === 'string');
    const known = nameKey === undefined ? callTool : knownTool(String(inner[nameKey]), tools);
    const given = inputKeys.map((key) => asRecord(inner[key])).find((one) => one !== undefined);
    if (known !== callTool) {
      if (known === undefined) break;
      const beside = Object.entries(inner).filter(([key]) => key !== nameKey && !inputKeys.includes(key));
      return { name: known, input: given ?? Object.fromEntries(beside) };
    }
    if (given === undefined) break;
    inner = given;
  }
  return { name: callTool, input };
}

/** Returns the risk of a call written as text. An unknown tool has no effect. A call without a readable name may change files. */
export function assessCall({ name, input, unreadable }: WrittenCall, tools: Names & Pick<ToolRegistry, 'get'>): CallRisk {
  const called = calledTool({ name, input }, tools);
  const tool = tools.get(called.name);
  if (tool === undefined) return unreadable ? 'changes' : 'reads';
  if (called.name === callTool && unreadable) return 'destroys';
  if (tool.destroys(called.input)) return 'destroys';
  return tool.facts.effect === 'files' ? 'changes' : 'reads';
}

/** Returns the tool for a name, even without the prefix of its server. Returns undefined if there is no match or several. */
export function knownTool(name: string, tools: Names): string | undefined {
  const found = name === '' ? [] : tools.names().filter((known) => known.endsWith(`_${name}`));
  return tools.resolve(name) ?? tools.resolve(name.replace(/^mcp_{1,2}/, '')) ?? (found.length === 1 ? found[0] : undefined);
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  if (isRecord(value)) return { ...value };
  const read = typeof value === 'string' ? readLooseJson(value) : null;
  return read?.isValid === true && isRecord(read.value) ? read.value : undefined;
}
