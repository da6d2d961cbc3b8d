import { z } from 'zod';

type Json = Record<string, unknown>;

/** The keys that the server keeps; all others it drops without a word, so that a schema that needs them would mislead. */
const rootKeys = ['type', '$defs', 'items', 'required', 'properties'];
const propertyKeys = ['anyOf', 'type', 'items', 'description', 'enum', 'properties', 'required'];

/** The JSON schema of a tool's arguments as it goes over the wire. */
export function wireSchema(schema: z.ZodObject): Json {
  return reducedSchema(z.toJSONSchema(schema, { io: 'input' }));
}

/** Returns a JSON schema with nothing in it but what the server keeps. */
export function reducedSchema(schema: Json): Json {
  return reduce(schema, rootKeys);
}

function reduce(schema: Json, keys: readonly string[]): Json {
  const reduced: Json = {};
  for (const key of keys) {
    const value = schema[key];
    if (value === undefined) continue;
    if (key === 'properties' || key === '$defs') reduced[key] = mapValues(value as Json, (inner) => reduce(inner, propertyKeys));
    else if (key === 'items') reduced[key] = reduce(value as Json, propertyKeys);
    else if (key === 'anyOf') reduced[key] = (value as Json[]).map((inner) => reduce(inner, propertyKeys));
    else reduced[key] = value;
  }
  return reduced;
}

function mapValues(object: Json, map: (value: Json) => Json): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value as Json)]));
}
