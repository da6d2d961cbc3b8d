import { z } from 'zod';

/** Form value: text, number, boolean, or selected values. */
const formValueSchema = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
export type FormValue = z.infer<typeof formValueSchema>;

export const formFieldSchema = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  type: z.enum(['text', 'number', 'integer', 'boolean', 'choice', 'choices']),
  options: z.array(z.object({ value: z.string(), title: z.string() })),
  isRequired: z.boolean(),
  initial: formValueSchema.optional(),
  /** Minimum and maximum of a number, or of the text length. */
  least: z.number().optional(),
  most: z.number().optional(),
  format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
});
export type FormField = z.infer<typeof formFieldSchema>;

export type FieldProblem = 'missing' | 'tooSmall' | 'tooLarge' | 'malformed';

const formats: Readonly<Record<NonNullable<FormField['format']>, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => URL.canParse(text),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
  'date-time': (text) => /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text)),
};

/** Returns the problem of a value, or null if the value is valid. An empty value counts as missing. */
export function fieldProblem(field: FormField, value: FormValue | undefined): FieldProblem | null {
  const { type, isRequired, least = -Infinity, most = Infinity, format, options } = field;
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return isRequired ? 'missing' : null;
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : 'malformed';
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value) || (type === 'integer' && !Number.isInteger(value)))
        return 'malformed';
      return value < least ? 'tooSmall' : value > most ? 'tooLarge' : null;
    case 'choice':
      return options.some((option) => option.value === value) ? null : 'malformed';
    case 'choices':
      return Array.isArray(value) && value.every((one) => options.some((option) => option.value === one)) ? null : 'malformed';
    case 'text':
      if (typeof value !== 'string') return 'malformed';
      if (value.length < least) return 'tooSmall';
      if (value.length > most) return 'tooLarge';
      return format === undefined || formats[format](value) ? null : 'malformed';
  }
}

/** Parses the values of a form from JSON. Returns null if they are invalid. Omits missing values. */
export function readForm(fields: readonly FormField[], json: string): Record<string, FormValue> | null {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    return null;
  }
  const parsed = z.record(z.string(), formValueSchema).safeParse(given);
  if (!parsed.success) return null;
  const values: Record<string, FormValue> = {};
  for (const field of fields) {
    const value = Object.hasOwn(parsed.data, field.name) ? parsed.data[field.name] : undefined;
    if (fieldProblem(field, value) !== null) return null;
    if (value !== undefined && value !== '') values[field.name] = value;
  }
  return values;
}

export function formText(fields: readonly FormField[], values: Readonly<Record<string, FormValue>>): string {
  const told = fields.flatMap((field) => {
    const value = values[field.name];
    if (value === undefined) return [];
    const titles = [value].flat().map((one) => field.options.find((option) => option.value === one)?.title ?? String(one));
    return [`${field.title}: ${titles.join(', ')}`];
  });
  return told.join('\n');
}
