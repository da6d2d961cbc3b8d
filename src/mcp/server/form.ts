import type { FormField, FormRequest } from './serverConnection';

type Json = Readonly<Record<string, unknown>>;
const maxFields = 20;

/** Reads what a server wants to know of a person; null if it is no form, such as a page that it wants opened. */
export function formOf(params: Json): FormRequest | null {
  const schema = params['requestedSchema'];
  if (!isObject(schema) || !isObject(schema['properties'])) return null;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(schema['properties']).flatMap(([name, value]) =>
    isObject(value) ? [fieldOf(name, value, required.includes(name))] : [],
  );
  return { message: textOf(params['message']), fields: fields.slice(0, maxFields) };
}

function fieldOf(name: string, schema: Json, isRequired: boolean): FormField {
  const title = textOf(schema['title']) || name;
  const options = optionsOf(isObject(schema['items']) ? schema['items'] : schema);
  return {
    name,
    title,
    description: textOf(schema['description']),
    type: typeOf(schema, options.length > 0),
    options,
    isRequired,
  };
}

function typeOf(schema: Json, hasOptions: boolean): FormField['type'] {
  if (schema['type'] === 'array') return 'choices';
  if (hasOptions) return 'choice';
  const { type } = schema;
  return type === 'boolean' || type === 'number' || type === 'integer' ? type : 'text';
}

function optionsOf(schema: Json): FormField['options'] {
  const titled = [schema['oneOf'], schema['anyOf']].find(Array.isArray) as unknown[] | undefined;
  if (titled !== undefined)
    return titled.flatMap((one) => (isObject(one) ? [{ value: textOf(one['const']), title: textOf(one['title']) }] : []));
  if (!Array.isArray(schema['enum'])) return [];
  const names: unknown[] = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
  return (schema['enum'] as unknown[]).map((value, index) => ({ value: textOf(value), title: textOf(names[index] ?? value) }));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
