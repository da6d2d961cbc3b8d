import { findCall, callText, finalText, loggedCalls, findResults } from './evidence';
import type { Evidence } from './examTask';
import { failed, noted, type ExamFinding } from './finding';

const editTools = ['replace_in_file', 'apply_patch', 'create_file', 'write_file'];

/** Finds faults in the edits of a task and in the resulting files. */
export function fileFaults(evidence: Evidence): ExamFinding[] {
  const found = [...wrongFiles(evidence).map((name) => findFault(name, evidence)), ...editFaults(evidence)];
  return found.filter((one) => one !== null);
}

/** Returns whether all files have the required contents. */
export function hasRightFiles(evidence: Evidence): boolean {
  return wrongFiles(evidence).length === 0;
}

function wrongFiles(evidence: Evidence): string[] {
  const { task, files } = evidence;
  return Object.keys({ ...task.files, ...task.after, ...files }).filter((name) => !isRight(name, evidence));
}

function isRight(name: string, { task, files }: Evidence): boolean {
  const text = files[name];
  const wanted = task.after?.[name] ?? task.files[name];
  if (text === wanted) return true;
  return text !== undefined && task.after?.[name] !== undefined && task.accepts?.(name, text) === true;
}

/** Returns the fault of a wrong file, or null if other findings explain why nothing was changed. */
function findFault(name: string, evidence: Evidence): ExamFinding | null {
  const { task, files } = evidence;
  const before = task.files[name];
  const after = task.after?.[name];
  const text = files[name];
  const shown = `${name}:\n${text ?? '(deleted)'}`;
  if (task.forbidden?.includes(name)) return failed('ignoresProhibition', lastEdit(evidence, name) ?? shown);
  if (after === undefined) {
    const isScript = task.command?.endsWith(name) === true;
    return failed(isScript ? 'changesTest' : 'editsWrongFile', lastEdit(evidence, name) ?? shown);
  }
  if (text === before) {
    const others = Object.keys(task.after ?? {}).filter((other) => other !== name);
    return others.some((other) => isRight(other, evidence)) ? failed('editsOneOfTwo', `${name} is unchanged`) : null;
  }
  if (text === undefined) return failed('wrongEdit', shown);
  if (/\.\.\.|…|(?:rest|remainder) of|existing code|unchanged/i.test(text)) return failed('leavesPlaceholder', shown);
  if (task.name === 'quotes') return failed('wrongQuotes', shown);
  const kept = lines(before ?? '').filter((line) => lines(after).includes(line));
  const added = lines(after).filter((line) => !lines(before ?? '').includes(line));
  const lost = kept.find((line) => !lines(text).includes(line));
  const isTooMuch =
    lost !== undefined || (added.every((line) => lines(text).includes(line)) && lines(text).length > lines(after).length);
  return failed(isTooMuch ? 'changesOtherLines' : 'wrongEdit', shown);
}

/** Finds edits that failed or needed a correction. */
function editFaults(evidence: Evidence): ExamFinding[] {
  return findResults(evidence, ...editTools).flatMap((result) => {
    const { content, data } = result;
    const call = findCall(evidence, result);
    const shown = call ? callText(call) : content;
    if (data.details?.['corrected'] !== undefined) return [noted('copiesInexactly', shown)];
    if (data.status !== 'error' || data.details?.['notFoundIn'] === undefined) return [];
    return [noted(data.name === 'apply_patch' ? 'patchDoesNotFit' : 'editDoesNotFit', shown)];
  });
}

function lastEdit(evidence: Evidence, name: string): string | null {
  const call = loggedCalls(evidence).findLast(({ data }) => JSON.stringify(data.input).includes(name));
  return call ? callText(call.data) : null;
}

function lines(text: string): string[] {
  return text.split('\n').map((line) => line.trim());
}

/** Finds the fault of a task that needed calls but got only a text answer. */
export function textFaults(evidence: Evidence): ExamFinding[] {
  const { task, answers } = evidence;
  if (task.needsCalls === 0 || loggedCalls(evidence).length > 0) return [];
  const text = finalText(evidence);
  const claimed = answers.some(({ messages }) => /\[You wrote “/.test(messages.at(-1)?.content ?? ''));
  if (claimed) return [failed('claimsWithoutWork', answers.find((answer) => answer.text !== '')?.text ?? text)];
  if (text === '') return [];
  if (/```/.test(text)) return [failed('answersWithCode', text)];
  if (/\?\s*$/.test(text)) return [failed('asksBack', text)];
  if (/\b(?:can(?:no|['’])t|cannot|unable|sorry|not able)\b/i.test(text)) return [failed('refuses', text)];
  return task.after === undefined ? [] : [failed('doesNothing', text)];
}
