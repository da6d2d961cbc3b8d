import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import { findCall, callText, findResults } from './evidence';
import type { Evidence } from './examTask';
import { failed, noted, type ExamFinding } from './finding';
import type { ModelCall } from './modelCalls';

/** Finds faults in the form of calls. A fault that the agent can repair does not fail the task. */
export function callFaults(evidence: Evidence, tools: ToolRegistry, form: 'native' | 'printed'): ExamFinding[] {
  const { task, calls, answers, entries } = evidence;
  const found = calls.flatMap((call) => findFaults(call, tools, answers[call.answer]?.text ?? ''));
  const printed = calls.find((call) => call.form === 'printed');
  if (form === 'native' && printed) found.push(noted('printsCalls', printed.written));
  const lost = answers.find(({ error }) => error?.isUnreadableCall === true);
  if (lost) found.push(noted('unreadableCalls', lost.error?.message ?? ''));
  const shown = answers.findIndex(({ messages }) => hint(messages.at(-1)?.content).includes('shows a call of'));
  if (shown > 0) found.push(noted('showsCallAsExample', answers[shown - 1]?.text ?? ''));
  const same = entries.find(({ type, content }) => type === 'tool_result' && content.startsWith('Not run again: the same call'));
  if (same?.type === 'tool_result') found.push(noted('duplicateCalls', same.data.name));
  for (const result of findResults(evidence)) {
    const call = findCall(evidence, result);
    const shown = call ? callText(call) : result.content;
    const command = call?.input['command'];
    const isDenied = result.data.status === 'denied';
    if (call && leavesFolder(call.input)) found.push((isDenied ? failed : noted)('leavesFolder', shown));
    else if (isDenied && command !== undefined && command !== task.command) found.push(failed('runsOtherCommand', shown));
  }
  return found;
}

/** Returns the text of the hint that the agent added to the last message of a request. */
export function hint(message: string | undefined): string {
  return /(?:^|\n)\[(?:You wrote|Nothing was run)[\s\S]*$/.exec(message ?? '')?.[0] ?? '';
}

/** Finds the faults of one call. `text` is the whole answer that contains the call. */
function findFaults(call: ModelCall, tools: ToolRegistry, text: string): ExamFinding[] {
  const { input, written, problem, isReadable, form } = call;
  if (!isReadable) {
    return [noted(form === 'printed' ? 'printsUnreadableCalls' : 'unreadableCalls', `${written}\n(${problem ?? ''})`)];
  }
  if (problem !== null) {
    const isBreak = Object.values(input).some(
      (value) => typeof value === 'string' && value.includes('\n') && text.includes(value),
    );
    return [noted(isBreak ? 'unescapedLineBreaks' : 'printsUnreadableCalls', `${written}\n(${problem})`)];
  }
  const name = tools.resolve(call.name);
  const tool = name === undefined ? undefined : tools.get(name);
  if (tool === undefined) return [noted('unknownTool', callText(call))];
  const { properties = {}, required = [] } = tool.wire.function.parameters as {
    properties?: Record<string, { type?: string }>;
    required?: string[];
  };
  const unknown = Object.keys(input).filter((key) => !(key in properties) && !isOptional(tool.prepare({ ...input }), key));
  if (unknown.length > 0) return [noted('wrongArgumentNames', callText(call))];
  if (required.some((key) => input[key] === undefined || input[key] === null)) return [noted('missingArgument', callText(call))];
  const isOfType = ([key, value]: [string, unknown]) =>
    properties[key]?.type === undefined || (Array.isArray(value) ? 'array' : typeof value) === properties[key].type;
  const isRight = tool.prepare(input).isValid && Object.entries(input).every(isOfType);
  return isRight ? [] : [noted('wrongArgumentType', callText(call))];
}

/** Returns whether a key is an argument that the exam does not offer but the tool has. */
function isOptional(prepared: { isValid: boolean; input?: Record<string, unknown> }, key: string): boolean {
  return prepared.isValid && prepared.input?.[key] !== undefined;
}

/** Returns whether a path is absolute or points outside the folder. The model never sees the absolute path of its folder. */
function leavesFolder(input: Record<string, unknown>): boolean {
  return [input['path'], input['cwd']].some(
    (one) => typeof one === 'string' && /^(?:\.\.|~|[\\/]|[a-z]:[\\/])/i.test(one.trim()),
  );
}
