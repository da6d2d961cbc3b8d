import type { WrittenValue } from './callBlock';
import { readLooseJson } from './looseJson';
import { readPythonCalls } from './pythonCalls';
import { nameInHead, nameless, unreadable, type WrittenCall } from './writtenCall';
import { gemmaJson, type ValueKind } from './valueEnds';
import { readXmlCall } from './xmlCalls';
import type { ReceivedToolCall } from '../../types/ollama';
import { isRecord } from '../../utils/json';

type Json = Record<string, unknown>;

const nameKeys = ['name', 'function', 'tool', 'tool_name', 'function_name', 'action'];
const inputKeys = ['arguments', 'parameters', 'args', 'input', 'params', 'tool_input', 'action_input', 'kwargs'];
/** Reads the calls in a written value. `isCutOff` is true if the answer was truncated. */
export function readCalls(value: WrittenValue, isCutOff: boolean): WrittenCall[] {
  return readers[value.kind](value, isCutOff);
}

/** Maximum number of nested JSON strings in the arguments of a call. */
const maxQuotings = 3;

/** Reads a call from the `tool_calls` field. Servers differ, so the arguments may be a JSON string or a list. */
export function receivedCall({ id, function: { name, arguments: given } }: ReceivedToolCall): WrittenCall & { id?: string } {
  const written = typeof given === 'string' ? given : JSON.stringify(given);
  const failed = (problem: string) => ({
    ...(id !== undefined && { id }),
    ...unreadable(name === '' ? nameless : name, problem, written),
  });
  if (name === '') return failed('it has no "name"');
  let value: unknown = given;
  for (let quotings = 0; typeof value === 'string' && quotings < maxQuotings; quotings += 1) {
    const read = value.trim() === '' ? null : readLooseJson(value);
    if (read?.isValid === false) return failed(read.problem);
    value = read?.value ?? {};
  }
  if (Array.isArray(value) && value.length < 2) value = value[0] ?? {};
  return isRecord(value)
    ? { ...(id !== undefined && { id }), name, input: value }
    : failed('its "arguments" must be a JSON object');
}

const readers: Readonly<Record<ValueKind, (value: WrittenValue, isCutOff: boolean) => WrittenCall[]>> = {
  json: readJsonCalls,
  xml: (value, isCutOff) => [
    readXmlCall(
      value,
      isCutOff,
      (name, text) =>
        readJsonCalls({ ...value, head: name, text }, isCutOff)[0] ?? unreadable(name, 'there is nothing in it', text),
    ),
  ],
  python: readPythonCalls,
  gemma: (value, isCutOff) => readJsonCalls({ ...value, text: gemmaJson(value.text) }, isCutOff),
};

/** Returns whether a value without tags can only be a call to an offered tool. */
export function isPlainCall(value: WrittenValue, isTool: (name: string) => boolean): boolean {
  if (value.kind !== 'json') return readCalls(value, false).every(({ name }) => isTool(name));
  const read = readLooseJson(value.text);
  if (!read.isValid) {
    const name = nameInText(value.text);
    return name !== null && isTool(name) && inputKeys.some((key) => value.text.includes(`"${key}"`));
  }
  const list = listIn(read.value);
  return list.length > 0 && list.every((one) => isRecord(one) && isCallObject(one, isTool));
}

/** Returns the calls in a list or in a message. Any other value is returned as the only call. */
function listIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) && Array.isArray(value['tool_calls']) ? value['tool_calls'] : [value];
}

function isCallObject(object: Json, isTool: (name: string) => boolean): boolean {
  const inner = isRecord(object['function']) ? object['function'] : object;
  const name = nameIn(inner);
  const [key] = inputKeys.filter((one) => inner[one] !== undefined);
  return name !== null && isTool(name) && key !== undefined && (isRecord(inner[key]) || typeof inner[key] === 'string');
}

function readJsonCalls({ head, text, isComplete }: WrittenValue, isCutOff: boolean): WrittenCall[] {
  const named = nameInHead(head);
  if (text.trim() === '') return [unreadable(named ?? nameless, 'there is nothing in it', head)];
  const read = readLooseJson(text, isCutOff && !isComplete);
  if (!read.isValid) return [unreadable(named ?? nameInText(text) ?? nameless, read.problem, head + text)];
  const repairs = read.repairs.length > 0 ? { repairs: read.repairs } : {};
  if (named !== null && isRecord(read.value) && !isNamed(read.value)) return [{ name: named, input: read.value, ...repairs }];
  const list = listIn(read.value);
  if (list.length === 0) return [unreadable(named ?? nameless, 'the list of calls is empty', head + text)];
  return list.map((one) => ({ ...readCall(one, named), ...repairs }));
}

function readCall(value: unknown, named: string | null): WrittenCall {
  if (!isRecord(value)) return unreadable(named ?? nameless, 'it is no JSON object', JSON.stringify(value));
  const object = isRecord(value['function']) ? value['function'] : isRecord(value['tool_call']) ? value['tool_call'] : value;
  const name = nameIn(object) ?? named;
  if (name === null && isKeyed(object)) return keyedCall(object);
  if (name === null) return unreadable(nameless, 'it has no "name"', JSON.stringify(value));
  const key = inputKeys.find((one) => object[one] !== undefined);
  if (key === undefined) {
    const rest = Object.entries(object).filter((entry) => !nameKeys.includes(entry[0]) && !isOfMessage(entry));
    return { name, input: Object.fromEntries(rest) };
  }
  const given = object[key];
  if (isRecord(given)) return { name, input: given };
  if (given === null || given === '') return { name, input: {} };
  const inner = typeof given === 'string' ? readLooseJson(given) : null;
  if (inner?.isValid && isRecord(inner.value)) return { name, input: inner.value };
  return unreadable(name, `its "${key}" must be a JSON object`, JSON.stringify(value));
}

/** Returns whether a property, such as `"type": "function"`, belongs to the message around a call and is not an argument. */
function isOfMessage([key, value]: [string, unknown]): boolean {
  if (typeof value !== 'string') return false;
  return (key === 'type' && /^(?:function|tool)(?:_call|_use)?$/.test(value)) || (key === 'id' && /^(?:call|tool)/.test(value));
}

/** Returns whether an object maps a tool name to its arguments, as in the format of Apertus. */
function isKeyed(object: Json): boolean {
  const [[key, value] = [], ...others] = Object.entries(object);
  return key !== undefined && others.length === 0 && !inputKeys.includes(key) && !nameKeys.includes(key) && isRecord(value);
}

function keyedCall(object: Json): WrittenCall {
  const [[name, input] = [nameless, {}]] = Object.entries(object);
  return { name, input: isRecord(input) ? input : {} };
}

function nameIn(object: Json): string | null {
  const name = nameKeys.map((key) => object[key]).find((value) => typeof value === 'string' && value !== '');
  return typeof name === 'string' ? name : null;
}

/** Returns whether an object after a tool name is a complete call. Arguments may have the same keys. */
function isNamed(object: Json): boolean {
  const isInput = (value: unknown) =>
    isRecord(value) || (typeof value === 'string' && /^\s*(?:\{|$)/.test(value)) || value === null;
  return /^[\w.:/-]+$/.test(nameIn(object) ?? '') && inputKeys.some((key) => object[key] !== undefined && isInput(object[key]));
}

function nameInText(text: string): string | null {
  return /["'](?:name|function|tool|tool_name)["']\s*:\s*["']([\w.:-]{1,64})["']/.exec(text.slice(0, 2000))?.[1] ?? null;
}
