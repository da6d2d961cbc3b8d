import type { FormField, FormValue } from '../../protocol/forms/formField';
import type { FormRequest } from './serverConnection';
import { isRecord } from '../../utils/json';

type Json = Readonly<Record<string, unknown>>;
const maxFields = 20;
const formats = ['email', 'uri', 'date', 'date-time'] as const;

/** Reads the form that a server requests. Returns null for other requests, such as opening a page. */
export function readFormRequest(params: Json): FormRequest | null {
  const schema = params['requestedSchema'];
  if (!isRecord(schema) || !isRecord(schema['properties'])) return null;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(schema['properties']).flatMap(([name, value]) =>
    isRecord(value) ? [readField(name, value, required.includes(name))] : [],
  );
  return { message: readText(params['message']), fields: fields.slice(0, maxFields) };
}

function readField(name: string, schema: Json, isRequired: boolean): FormField {
  const title = readText(schema['title']) || name;
  const options = readOptions(isRecord(schema['items']) ? schema['items'] : schema);
  const type = readType(schema, options.length > 0);
  const [least, most] = type === 'text' ? [schema['minLength'], schema['maxLength']] : [schema['minimum'], schema['maximum']];
  const format = formats.find((one) => one === schema['format']);
  const initial = readInitial(schema['default']);
  return {
    name,
    title,
    description: readText(schema['description']),
    type,
    options,
    isRequired,
    ...(initial !== undefined && { initial }),
    ...(typeof least === 'number' && { least }),
    ...(typeof most === 'number' && { most }),
    ...(type === 'text' && format !== undefined && { format }),
  };
}

function readInitial(value: unknown): FormValue | undefined {
  if (Array.isArray(value)) return value.filter((one): one is string => typeof one === 'string');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

function readType(schema: Json, hasOptions: boolean): FormField['type'] {
  if (schema['type'] === 'array') return 'choices';
  if (hasOptions) return 'choice';
  const { type } = schema;
  return type === 'boolean' || type === 'number' || type === 'integer' ? type : 'text';
}

function readOptions(schema: Json): FormField['options'] {
  const titled = [schema['oneOf'], schema['anyOf']].find(Array.isArray) as unknown[] | undefined;
  if (titled !== undefined)
    return titled.flatMap((one) => (isRecord(one) ? [{ value: readText(one['const']), title: readText(one['title']) }] : []));
  if (!Array.isArray(schema['enum'])) return [];
  const names: unknown[] = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
  return (schema['enum'] as unknown[]).map((value, index) => ({
    value: readText(value),
    title: readText(names[index] ?? value),
  }));
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
