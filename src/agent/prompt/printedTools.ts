import { printCall } from '../../protocol/printedCalls';
import type { WireTool } from '../../types/ollama';

type Schema = {
  type?: unknown;
  enum?: unknown[];
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
};

/** Returns the prompt text for a model without tool support. It explains how to write calls as text, and lists the tools. */
export function printedTools(tools: readonly WireTool[]): string[] {
  return [
    'To call a tool, write exactly this, with nothing after it:',
    printCall('read_file', { path: 'src/app.ts' }),
    'You may write several calls, one after the other. Their results come in the next message: never write a result yourself.',
    '',
    'Tools, with their arguments (those with ? may be left out):',
    ...tools.map(({ function: { name, description, parameters } }) => `- ${name} ${formatType(parameters)}: ${description}`),
    '',
  ];
}

/** Formats a schema as a type in one line. */
export function formatType(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(formatType).join(' | ');
  if (schema.items) return `${formatType(schema.items)}[]`;
  if (!schema.properties) return String(schema.type);
  const { properties, required = [] } = schema;
  const parts = Object.entries(properties).map(
    ([name, inner]) => `${name}${required.includes(name) ? '' : '?'}: ${formatType(inner)}`,
  );
  return `{${parts.join(', ')}}`;
}
