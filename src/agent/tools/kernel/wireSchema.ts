import { z } from 'zod';

type Json = Record<string, unknown>;

/** Schema keys that the server supports. The server silently drops all others, so a schema must not depend on them. */
const rootKeys = ['type', '$defs', 'items', 'required', 'properties'];
const propertyKeys = ['anyOf', 'type', 'items', 'description', 'enum', 'properties', 'required'];

/** Returns the JSON schema of a tool's arguments in the format of the request. */
export function wireSchema(schema: z.ZodObject): Json {
  return reducedSchema(z.toJSONSchema(schema, { io: 'input' }));
}

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
