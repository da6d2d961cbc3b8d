import type { FormField, FormValue } from '../../protocol/forms/formField';
import type { FormRequest } from './serverConnection';
import { isRecord } from '../../utils/json';

type Json = Readonly<Record<string, unknown>>;
const maxFields = 20;
const formats = ['email', 'uri', 'date', 'date-time'] as const;

/** Reads the form that a server requests. Returns null for other requests, such as opening a page. */
export function formOf(params: Json): FormRequest | null {
  const schema = params['requestedSchema'];
  if (!isRecord(schema) || !isRecord(schema['properties'])) return null;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(schema['properties']).flatMap(([name, value]) =>
    isRecord(value) ? [fieldOf(name, value, required.includes(name))] : [],
  );
  return { message: textOf(params['message']), fields: fields.slice(0, maxFields) };
}

function fieldOf(name: string, schema: Json, isRequired: boolean): FormField {
  const title = textOf(schema['title']) || name;
  const options = optionsOf(isRecord(schema['items']) ? schema['items'] : schema);
  const type = typeOf(schema, options.length > 0);
  const [least, most] = type === 'text' ? [schema['minLength'], schema['maxLength']] : [schema['minimum'], schema['maximum']];
  const format = formats.find((one) => one === schema['format']);
  const initial = initialOf(schema['default']);
  return {
    name,
    title,
    description: textOf(schema['description']),
    type,
    options,
    isRequired,
    ...(initial !== undefined && { initial }),
    ...(typeof least === 'number' && { least }),
    ...(typeof most === 'number' && { most }),
    ...(type === 'text' && format !== undefined && { format }),
  };
}

function initialOf(value: unknown): FormValue | undefined {
  if (Array.isArray(value)) return value.filter((one): one is string => typeof one === 'string');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
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
    return titled.flatMap((one) => (isRecord(one) ? [{ value: textOf(one['const']), title: textOf(one['title']) }] : []));
  if (!Array.isArray(schema['enum'])) return [];
  const names: unknown[] = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
  return (schema['enum'] as unknown[]).map((value, index) => ({ value: textOf(value), title: textOf(names[index] ?? value) }));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
