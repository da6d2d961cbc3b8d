import type { WrittenValue } from './callBlock';
import { readLooseJson } from './looseJson';

/** A call that a model printed as text. */
export interface WrittenCall {
  name: string;
  input: Record<string, unknown>;
  /** Repairs that were needed to read it, in words. */
  repairs?: string[];
  /** Problem, in words for the model, of a call that cannot be run, with the text that the model wrote. */
  unreadable?: { problem: string; written: string };
}

type Json = Record<string, unknown>;

const nameKeys = ['name', 'function', 'tool', 'tool_name', 'function_name', 'action'];
const inputKeys = ['arguments', 'parameters', 'args', 'input', 'params', 'tool_input', 'action_input', 'kwargs'];
const nameless = 'tool call';
/** Number of characters of an unreadable call that are kept for the model. */
const keptCharacters = 2000;

/** Reads the calls in a value as it was written. `isCutOff`: the answer ended before the model was done. */
export function readCalls(value: WrittenValue, isCutOff: boolean): WrittenCall[] {
  return value.kind === 'xml' ? [readXml(value, isCutOff)] : readJsonCalls(value, isCutOff);
}

/** Tells whether a JSON value is a call of one of these tools and cannot mean anything else. */
export function isPlainCall(value: WrittenValue, isTool: (name: string) => boolean): boolean {
  const read = readLooseJson(value.text);
  if (value.kind !== 'json') return false;
  if (!read.isValid) {
    const name = nameInText(value.text);
    return name !== null && isTool(name) && inputKeys.some((key) => value.text.includes(`"${key}"`));
  }
  const list = listIn(read.value);
  return list.length > 0 && list.every((one) => isObject(one) && isCallObject(one, isTool));
}

/** Returns the calls of a list, of a message that holds one, or the one that the value is. */
function listIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) && Array.isArray(value['tool_calls']) ? value['tool_calls'] : [value];
}

function isCallObject(object: Json, isTool: (name: string) => boolean): boolean {
  const inner = isObject(object['function']) ? object['function'] : object;
  const name = nameIn(inner);
  const [key] = inputKeys.filter((one) => inner[one] !== undefined);
  return name !== null && isTool(name) && key !== undefined && (isObject(inner[key]) || typeof inner[key] === 'string');
}

function readJsonCalls({ head, text, isComplete }: WrittenValue, isCutOff: boolean): WrittenCall[] {
  const named = nameInHead(head);
  if (text.trim() === '') return [unreadable(named ?? nameless, 'there is nothing in it', head)];
  const read = readLooseJson(text, isCutOff && !isComplete);
  if (!read.isValid) return [unreadable(named ?? nameInText(text) ?? nameless, read.problem, head + text)];
  const repairs = read.repairs.length > 0 ? { repairs: read.repairs } : {};
  if (named !== null && isObject(read.value) && !isNamed(read.value)) return [{ name: named, input: read.value, ...repairs }];
  const list = listIn(read.value);
  if (list.length === 0) return [unreadable(named ?? nameless, 'the list of calls is empty', head + text)];
  return list.map((one) => ({ ...callOf(one, named), ...repairs }));
}

function callOf(value: unknown, named: string | null): WrittenCall {
  if (!isObject(value)) return unreadable(named ?? nameless, 'it is no JSON object', JSON.stringify(value));
  const object = isObject(value['function']) ? value['function'] : isObject(value['tool_call']) ? value['tool_call'] : value;
  const name = nameIn(object) ?? named;
  if (name === null) return unreadable(nameless, 'it has no "name"', JSON.stringify(value));
  const key = inputKeys.find((one) => object[one] !== undefined);
  if (key === undefined) {
    const rest = Object.entries(object).filter(([one]) => !nameKeys.includes(one) && one !== 'type' && one !== 'id');
    return { name, input: Object.fromEntries(rest) };
  }
  const given = object[key];
  if (isObject(given)) return { name, input: given };
  if (given === null || given === '') return { name, input: {} };
  const inner = typeof given === 'string' ? readLooseJson(given) : null;
  if (inner?.isValid && isObject(inner.value)) return { name, input: inner.value };
  return unreadable(name, `its "${key}" must be a JSON object`, JSON.stringify(value));
}

function readXml({ head, text, isComplete }: WrittenValue, isCutOff: boolean): WrittenCall {
  const [opening = '', tagged] = /^<(?:function|invoke)(?:=|\s+name=)["']?([^"'>\s]+)["']?\s*>/.exec(text) ?? [];
  const name = tagged ?? nameInHead(head);
  if (name === null) return unreadable(nameless, 'it has no name', head + text);
  const body = text.slice(opening.length);
  if (body.trimStart().startsWith('{')) {
    const json = body.replace(/\s*<\/(?:function|invoke|tool_call)>\s*$/, '');
    const [call] = readJsonCalls({ head: name, kind: 'json', text: json, isComplete }, isCutOff);
    return call ?? unreadable(name, 'there is nothing in it', text);
  }
  const input: Json = {};
  const parameter =
    /<parameter(?:=|\s+name=)["']?([^"'>]+?)["']?\s*>([\s\S]*?)<\/parameter>(?=\s*(?:<parameter[= ]|<\/function>|<\/invoke>|<\/tool_call>|$))|<arg_key>([^<]*)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g;
  let end = 0;
  for (const found of body.matchAll(parameter)) {
    input[(found[1] ?? found[3] ?? '').trim()] = withoutOuterBreaks(found[2] ?? found[4] ?? '');
    end = found.index + found[0].length;
  }
  const [, open] =
    /<parameter(?:=|\s+name=)["']?([^"'>\s]+)/.exec(body.slice(end)) ?? /<arg_key>([^<]*)/.exec(body.slice(end)) ?? [];
  const where = open === undefined ? '' : ` in "${open}"`;
  if (open !== undefined || (isCutOff && !isComplete))
    return unreadable(name, `it ends in the middle${where}, after ${count(text.length)} characters`, text);
  return { name, input };
}

/** Removes the line breaks that belong to the tags. */
function withoutOuterBreaks(text: string): string {
  return text.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
}

function nameIn(object: Json): string | null {
  const name = nameKeys.map((key) => object[key]).find((value) => typeof value === 'string' && value !== '');
  return typeof name === 'string' ? name : null;
}

/** Tells whether an object after the name of a tool is a call by itself, and not the arguments, which may have such keys as well. */
function isNamed(object: Json): boolean {
  const isInput = (value: unknown) =>
    isObject(value) || (typeof value === 'string' && /^\s*(?:\{|$)/.test(value)) || value === null;
  return /^[\w.:/-]+$/.test(nameIn(object) ?? '') && inputKeys.some((key) => object[key] !== undefined && isInput(object[key]));
}

/** Returns the tool's name in the text before the arguments: the last word that is none of the form's own. */
function nameInHead(head: string): string | null {
  const [name] = head
    .replaceAll(/\[CALL_ID\]\s*[\w-]+/g, ' ')
    .replaceAll(/<[^>]*>|\[[A-Z_]+\]|```\w*/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && word !== 'function')
    .slice(-1);
  return name ?? null;
}

function nameInText(text: string): string | null {
  return /["'](?:name|function|tool|tool_name)["']\s*:\s*["']([\w.:-]{1,64})["']/.exec(text.slice(0, 2000))?.[1] ?? null;
}

function unreadable(name: string, problem: string, text: string): WrittenCall {
  const left = text.length - keptCharacters;
  const written =
    left <= 0
      ? text
      : `${text.slice(0, keptCharacters / 2)}\n[… ${count(left)} characters …]\n${text.slice(-keptCharacters / 2)}`;
  return { name, input: {}, unreadable: { problem, written } };
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
