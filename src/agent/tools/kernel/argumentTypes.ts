import { readLooseJson } from '../../stream/looseJson';
import { isRecord } from '../../../utils/json';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Converts the value of an argument to a type that its JSON schema accepts, also inside lists and
 * objects. Models often write lists, objects, numbers and booleans as text. A value of an accepted type
 * is unchanged, so JSON remains text if the schema requires text. With `isJsonText`, objects and lists
 * become JSON text if the schema requires text. A value that cannot be converted is returned unchanged.
 */
export function coerced(value: unknown, schema: unknown, isJsonText = false): unknown {
  const own = convert(value, typesIn(schema), isJsonText);
  if (Array.isArray(own)) {
    const items = findPart(schema, 'array', 'items');
    return isRecord(items) ? own.map((item) => coerced(item, items, isJsonText)) : own;
  }
  const properties = isRecord(own) ? findPart(schema, 'object', 'properties') : undefined;
  if (!isRecord(own) || !isRecord(properties)) return own;
  const pairs = Object.entries(own).map(([name, inner]): [string, unknown] => [
    name,
    Object.hasOwn(properties, name) ? coerced(inner, properties[name], isJsonText) : inner,
  ]);
  return Object.fromEntries(pairs);
}

function convert(value: unknown, types: readonly string[], isJsonText: boolean): unknown {
  if (types.length === 0 || types.includes(readType(value))) return value;
  if (typeof value === 'string') return fromText(value, types);
  if (!types.includes('string') || value === null || value === undefined) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return isJsonText ? JSON.stringify(value, null, 2) : value;
}

const numberText = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i;

function fromText(value: string, types: readonly string[]): unknown {
  const text = value.trim();
  if (types.includes('number') && numberText.test(text) && isExact(text)) return Number(text);
  if (types.includes('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (!types.includes('array') && !types.includes('object')) return value;
  const read = readLooseJson(text);
  return read.isValid && typeof read.value === 'object' && read.value !== null ? read.value : value;
}

/** Returns whether a number is not an integer, or is an integer that JavaScript represents exactly. */
function isExact(text: string): boolean {
  return !/^[+-]?\d+$/.test(text) || Number.isSafeInteger(Number(text));
}

/** Returns the accepted types, with `number` for integers. An empty array means that every type is accepted. */
function typesIn(schema: unknown): string[] {
  if (!isRecord(schema)) return [];
  const { type } = schema;
  const own = (Array.isArray(type) ? type : [type]).filter((one): one is string => typeof one === 'string');
  const all = own.length > 0 ? own : branches(schema).flatMap(typesIn);
  return all.map((one) => (one === 'integer' ? 'number' : one));
}

function readType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Returns the schema of the items or properties. For a union, uses the branch that accepts the type. */
function findPart(schema: unknown, type: string, key: 'items' | 'properties'): unknown {
  if (!isRecord(schema)) return undefined;
  return (
    schema[key] ?? branches(schema).find((one) => isRecord(one) && typesIn(one).includes(type) && one[key] !== undefined)?.[key]
  );
}

function branches(schema: Schema): Schema[] {
  const { anyOf, oneOf } = schema;
  return [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isRecord) : []));
}
