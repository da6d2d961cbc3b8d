/** Call in a set of examples. */
export interface ExampleCall {
  name: string;
  arguments: Record<string, unknown>;
}

export interface Dialect {
  name: string;
  write: (calls: readonly ExampleCall[]) => string;
  /** True if values are written as text, so that numbers and strings look the same. */
  isUntyped?: boolean;
  /**
   * Beginning of a call. `token`: a special token. `word`: a word. `bare`: plain JSON or Python, which may be an example. Default: a tag.
   */
  kind?: 'token' | 'word' | 'bare';
  /** True if a message can contain only one call. */
  isSingle?: boolean;
}

export const json = (call: ExampleCall, key = 'arguments'): string => JSON.stringify({ name: call.name, [key]: call.arguments });
export const listOf = (calls: readonly ExampleCall[]): string => `[${calls.map((call) => json(call)).join(', ')}]`;

/** Formats a value as Python. */
export const python = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return typeof value === 'string' ? pythonText(value) : JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${pythonText(key)}: ${python(one)}`)
    .join(', ')}}`;
};
const pythonText = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
export const pythonCall = ({ name, arguments: given }: ExampleCall): string =>
  `${name}(${Object.entries(given)
    .map(([key, value]) => `${key}=${python(value)}`)
    .join(', ')})`;
/** Formats a value as Gemma does: unquoted names, strings between tokens. */
export const gemma = (value: unknown, quote: string): string => {
  if (typeof value === 'string') return `${quote}${value}${quote}`;
  if (Array.isArray(value)) return `[${value.map((one) => gemma(one, quote)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${key}:${gemma(one, quote)}`)
    .join(',')}}`;
};
export const invoke = (call: ExampleCall, prefix: string, attribute: (value: unknown) => string = () => ''): string =>
  `<${prefix}invoke name="${call.name}">\n${Object.entries(call.arguments)
    .map(([key, value]) => `<${prefix}parameter name="${key}"${attribute(value)}>${valueOf(value)}</${prefix}parameter>\n`)
    .join('')}</${prefix}invoke>`;
export const coder = (call: ExampleCall): string =>
  `<function=${call.name}>\n${parameters(call, (key, value) => `<parameter=${key}>\n${value}\n</parameter>`)}\n</function>`;
const valueOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
export const parameters = ({ arguments: given }: ExampleCall, write: (key: string, value: string) => string): string =>
  Object.entries(given)
    .map(([key, value]) => write(key, valueOf(value)))
    .join('\n');
