import { z } from 'zod';
import { callTool, loadTools } from '../../../types/loadedTools';
import { translatable } from '../../../types/texts';
import { estimatedTokens } from '../../../types/tokenLength';
import { t } from '../../../utils/l10n';
import { knownTool } from './calledTool';
import { readList } from './listShapes';
import { failure } from './toolFailure';
import { defineTool, type Tool, type ToolResult } from './tool';
import { ToolRegistry } from './toolRegistry';

/** Tools that requests always declare. They are enough for any work on files. The model loads other tools when it needs them. */
const core: ReadonlySet<string> = new Set([
  ...['read_file', 'list_files', 'find_files', 'search_workspace', 'search_codebase'],
  ...['create_file', 'replace_in_file', 'apply_patch', 'write_file', 'delete_file'],
  ...['run_terminal_command', 'update_todos', 'complete_step', 'ask_user'],
]);
/** Minimum number of other tools. With fewer, loading them would cost more tokens than declaring them. */
const fewestOthers = 5;
/** Maximum total tokens of tools from servers and extensions. Above this limit, they are not declared. */
const externalRoom = 400;
/** Maximum characters of the tool names in the description of `load_tools`. */
const nameRoom = 1_400;
/** Maximum number of tools in one result. */
const mostLoaded = 8;

/**
 * Limits the tools that requests declare to the core, a few external tools, `load_tools` and
 * `call_tool`. The description of `load_tools` names the other tools. The declared tools therefore
 * stay the same during a chat, and the prompt cache remains valid. A tool that is offered after
 * failed edits is neither declared nor named, because the result of the edit explains how to call it.
 */
export function compactTools(tools: ToolRegistry): ToolRegistry {
  const external = tools.only(({ isExternal = false }) => isExternal);
  const fits = estimatedTokens(JSON.stringify(external.wire())) <= externalRoom;
  const declared = new Set([...core, ...(fits ? external.names() : [])]);
  const others = tools.names().filter((name) => !declared.has(name));
  return others.length < fewestOthers ? tools : loadableTools(tools, declared);
}

/** Limits the tools that requests declare to those in `declared`, `load_tools` and `call_tool`. The model loads the others. */
export function loadableTools(tools: ToolRegistry, declared: ReadonlySet<string>): ToolRegistry {
  const isOther = ({ name, when }: Tool) => !declared.has(name) && when !== 'failedEdits';
  const others = tools.all().flatMap(({ tool, isOn }) => (isOn && isOther(tool) ? [tool] : []));
  return tools.declaring(new Set([...declared, loadTools, callTool]), [loadToolsTool(others), callToolTool(tools)]);
}

function loadToolsTool(others: readonly Tool[]): Tool {
  return defineTool({
    name: loadTools,
    description: `Show how to use more tools. There are: ${namesIn(others)}. Run a loaded tool with ${callTool}.`,
    schema: z.object({ names: z.array(z.string()).describe('Names from the list') }),
    adapt: (input) => ({ names: wordsIn(input['names'] ?? Object.values(input)[0]) }),
    effect: 'none',
    modes: 'every',
    row: {
      family: 'other',
      titles: translatable({
        done: 'Loaded the tools {0}',
        running: 'Loading the tools {0}',
        planned: 'Load the tools {0}',
        failed: 'Could not load the tools {0}',
        stopped: 'Did not load the tools {0}',
      }),
    },
    label: ({ names }) => names.join(', '),
    run: ({ names }) => Promise.resolve(loaded(names, others)),
  });
}

/** Creates `call_tool`. The agent runs the named tool directly (`calledTool`), so only calls without a known tool reach this tool. */
function callToolTool(tools: ToolRegistry): Tool {
  return defineTool({
    name: callTool,
    description: `Run a tool that ${loadTools} has shown.`,
    schema: z.object({ name: z.string(), arguments: z.looseObject({}).optional().describe('Arguments of that tool') }),
    effect: 'none',
    modes: 'every',
    label: ({ name }) => name,
    run: ({ name }) => Promise.resolve(notFound([name], tools.names())),
  });
}

function wordsIn(value: unknown): unknown {
  const list = readList(value)
    ?.map((one) => (typeof one === 'string' ? one.split(/[\s,]+/) : [one]))
    .flat();
  return list?.filter((word) => word !== '') ?? value;
}

/** Returns as many names as fit. The model can find the other tools with a search word. */
function namesIn(tools: readonly Tool[]): string {
  let text = '';
  for (const [place, { name }] of tools.entries()) {
    if (text.length + name.length > nameRoom) return `${text} and ${tools.length - place} more (give a word to search for)`;
    text += place === 0 ? name : `, ${name}`;
  }
  return text;
}

function loaded(names: readonly string[], others: readonly Tool[]): ToolResult {
  const wanted = new Set(names.flatMap((name) => matching(name, others)));
  if (wanted.size === 0)
    return notFound(
      names,
      others.map(({ name }) => name),
    );
  const shown = [...wanted].slice(0, mostLoaded);
  const lines = shown.map(({ wire }) => JSON.stringify(wire.function));
  if (shown.length < wanted.size) lines.push(`[${shown.length} of ${wanted.size} are shown. Load fewer at once.]`);
  const [first] = shown;
  const example = JSON.stringify({ name: first?.name, arguments: {} });
  return {
    status: 'success',
    content: [...lines, `Run one with ${callTool}, such as ${example} with its arguments.`].join('\n'),
  };
}

/** Returns the tool with this name in any spelling, otherwise the tools whose name or description contains the word. */
function matching(word: string, others: readonly Tool[]): Tool[] {
  const exact = knownTool(word, new ToolRegistry(others));
  const low = word.toLowerCase();
  const named = others.filter(({ name }) => name === exact);
  return named.length > 0
    ? named
    : others.filter(({ name, wire }) => `${name} ${wire.function.description}`.toLowerCase().includes(low));
}

function notFound(names: readonly string[], known: readonly string[]): ToolResult {
  return failure({
    local: t('unknown tool'),
    english: `There is no tool ${names.join(', ')}. There are: ${known.join(', ')}.`,
  });
}
