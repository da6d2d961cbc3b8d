import type { WireTool } from '../../types/ollama';
import { printedTools } from '../prompt/printedTools';
import { completionMark, type PromptFacts } from '../prompt/promptBuilder';
import { loadableTools } from '../tools/kernel/compactTools';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import type { ExamTask } from './examTask';

/** Returns a short system prompt for the exam. The normal chat prompt would use up most of the token budget. */
export function examPrompt({ printed }: PromptFacts): string {
  return [
    'You work on the files of a folder with the tools you are given. Text alone changes nothing: to act, call a tool.',
    'Read a file before you say what is in it. Never invent its contents.',
    `When the task is done, say so in a few words and write ${completionMark}.`,
    ...(printed && printed.length > 0 ? printedTools(printed) : []),
  ].join('\n');
}

/** Returns the tools of a task with only their required arguments. */
export function toolsOfTask(tools: ToolRegistry, task: Pick<ExamTask, 'tools' | 'loadsTools'>): ToolRegistry {
  const own = tools
    .only(({ name }) => task.tools.includes(name))
    .map((tool) => ({ ...tool, isOptional: false, wire: withRequiredArguments(tool.wire) }));
  return task.loadsTools === true ? loadableTools(own, new Set()) : own;
}

function withRequiredArguments({ type, function: { name, description, parameters } }: WireTool): WireTool {
  const { properties, required } = parameters as { properties: Record<string, unknown>; required: string[] };
  const kept = Object.fromEntries(Object.entries(properties).filter(([key]) => required.includes(key)));
  const [first = ''] = description.split(/(?<=\.) /);
  return { type, function: { name, description: first, parameters: { ...parameters, properties: kept } } };
}
