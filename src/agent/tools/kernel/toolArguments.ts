import type { z } from 'zod';
import { isRecord } from '../../../utils/json';
import { coerced } from './argumentTypes';
import { wireSchema } from './wireSchema';

/** Alternative names of arguments. Case, `_` and `-` do not matter. */
export type ArgumentAliases = Readonly<Record<string, string>>;

export type ReadArguments<T> = { isValid: true; value: T; ignored: string[] } | { isValid: false; problem: string };

type Property = { type?: unknown; enum?: unknown };

/** Files whose content a model may write as a JSON object. For other files, an object is an error. */
const jsonFile = /\.(?:json[c5]?|jsonld|geojson|ipynb|webmanifest|code-workspace)$/i;

/**
 * Parses the arguments that a model wrote. Accepts alternative names and other types (`coerced`).
 * Ignores and lists unknown arguments. Rejects ambiguous arguments with a precise message.
 */
export function readArguments<S extends z.ZodObject>(
  schema: S,
  aliases: ArgumentAliases,
  input: Record<string, unknown>,
): ReadArguments<z.output<S>> {
  const properties = (wireSchema(schema)['properties'] ?? {}) as Record<string, Property>;
  const names = Object.keys(properties);
  const given = unwrapped(input, names);
  const target = targets(names, aliases);

  const value: Record<string, unknown> = {};
  const ignored: string[] = [];
  const known = Object.keys(given).filter((key) => names.includes(key));
  for (const key of known) value[key] = given[key];
  for (const key of Object.keys(given)) {
    if (names.includes(key)) continue;
    const name = target.get(plain(key));
    if (name === undefined || value[name] !== undefined) ignored.push(key);
    else value[name] = given[key];
  }
  const isJsonText = typeof value['path'] === 'string' && jsonFile.test(value['path']);
  for (const [name, raw] of Object.entries(value)) {
    if (raw === null || raw === undefined) delete value[name];
    else value[name] = coerced(raw, properties[name], isJsonText);
  }

  const parsed = schema.safeParse(value);
  if (parsed.success) return { isValid: true, value: parsed.data, ignored };
  const problems = parsed.error.issues.map((issue) => describeIssue(issue, value, properties));
  return { isValid: false, problem: `${problems.join('; ')}. Expected arguments: ${expected(schema)}.` };
}

/** Removes a wrapper such as `{"arguments": {…}}`, which some models add. */
function unwrapped(input: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const [key, ...others] = Object.keys(input);
  if (key === undefined || others.length > 0 || names.includes(key)) return input;
  if (!['arguments', 'parameters', 'input', 'args'].includes(key)) return input;
  const inner = coerced(input[key], { type: 'object' });
  return isRecord(inner) ? { ...inner } : input;
}

function targets(names: readonly string[], aliases: ArgumentAliases): Map<string, string> {
  const map = new Map(Object.entries(aliases).map(([alias, name]) => [plain(alias), name]));
  for (const name of names) map.set(plain(name), name);
  return map;
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[_\s-]/g, '');
}

function describeIssue(issue: z.core.$ZodIssue, value: Record<string, unknown>, properties: Record<string, Property>): string {
  const name = String(issue.path[0] ?? '');
  if (name !== '' && value[name] === undefined) return `"${name}" is missing`;
  const type = properties[name]?.type;
  if (issue.code === 'invalid_type' && issue.path.length === 1) {
    return `"${name}" must be ${article(String(type))}, but it is ${describe(value[name])}`;
  }
  return `"${issue.path.join('.')}": ${issue.message}`;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${JSON.stringify(value)}`;
}

function article(type: string): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function expected(schema: z.ZodObject): string {
  const wire = wireSchema(schema);
  const required = (wire['required'] ?? []) as string[];
  const properties = Object.entries((wire['properties'] ?? {}) as Record<string, Property>);
  return `{${properties.map(([name, { type }]) => `${name}${required.includes(name) ? '' : '?'}: ${String(type)}`).join(', ')}}`;
}
