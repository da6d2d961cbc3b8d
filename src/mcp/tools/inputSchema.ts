import { coerced } from '../../agent/tools/kernel/argumentTypes';
import { reducedSchema } from '../../agent/tools/kernel/wireSchema';
import { cleanLine } from './cleanText';
import { isRecord } from '../../utils/json';

type Json = Readonly<Record<string, unknown>>;
/** Maximum length of a tool's schema in characters. Descriptions are removed from a longer schema. */
const maxSchema = 6000;
const maxDescription = 240;
const maxDepth = 6;

/** Returns the schema of an external tool for the model, with short descriptions and without invisible characters. */
export function wireParameters(schema: Json): Record<string, unknown> {
  const root = { ...(cleaned(schema, 0, maxDescription) as Json), type: 'object' };
  const whole = reducedSchema(root);
  if (JSON.stringify(whole).length <= maxSchema) return withProperties(whole);
  const short = reducedSchema({ ...(cleaned(schema, 0, 0) as Json), type: 'object' });
  return JSON.stringify(short).length <= maxSchema ? withProperties(short) : { type: 'object', properties: {} };
}

/**
 * Converts arguments to the types of the schema. If the tool expects text but gets an object, converts the
 * object to JSON text, because the tool would reject it.
 */
export function convertedArguments(input: Json, schema: Json): Record<string, unknown> {
  return coerced(input, { ...schema, type: 'object' }, true) as Record<string, unknown>;
}

export function missingArguments(input: Json, schema: Json): string[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return required.filter((name): name is string => typeof name === 'string' && input[name] === undefined);
}

function withProperties(schema: Record<string, unknown>): Record<string, unknown> {
  return { ...schema, properties: isRecord(schema['properties']) ? schema['properties'] : {} };
}

function cleaned(value: unknown, depth: number, descriptions: number): unknown {
  if (typeof value === 'string') return cleanLine(value, 200);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) return {};
  if (Array.isArray(value)) return value.slice(0, 100).map((one) => cleaned(one, depth + 1, descriptions));
  const pairs = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (key !== 'description' || typeof inner !== 'string')
      return [[cleanLine(key, 100), cleaned(inner, depth + 1, descriptions)]];
    return descriptions === 0 ? [] : [[key, cleanLine(inner, descriptions)]];
  });
  return Object.fromEntries(pairs);
}
