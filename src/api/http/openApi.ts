import { z } from 'zod';
import { errorSchema } from '../apiError';
import { routes, type Route } from './routes';
import { exportTypes } from './exportHeaders';
import { eventSchema } from '../events/eventSchemas';
import { exportQuery } from './schemas';

/** Builds the OpenAPI document from the schemas that validate the routes. */
export function openApiDocument(version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = describeOperation(route);
  paths['/api/dialogs/{dialog}/events'] = {
    get: {
      operationId: 'getDialogEvents',
      summary:
        'Streams the events of a dialog (server-sent events). Last-Event-ID continues after that event, 0 starts at the first event',
      parameters: [
        parameter('dialog', 'path', { type: 'string' }, true),
        parameter('Last-Event-ID', 'header', { type: 'string' }, false),
      ],
      responses: {
        200: { description: 'Events', content: { 'text/event-stream': { schema: describeSchema(eventSchema) } } },
        ...failures,
      },
    },
  };
  paths['/api/dialogs/{dialog}/export'] = {
    get: {
      operationId: 'getDialogExport',
      summary: 'Exports a dialog as text, without secrets',
      parameters: [
        parameter('dialog', 'path', { type: 'string' }, true),
        parameter('format', 'query', describeSchema(exportQuery.shape.format, 'input'), false),
      ],
      responses: { 200: { description: 'The dialog', content: exported }, ...failures },
    },
  };
  return {
    openapi: '3.1.0',
    info: { title: 'Ollama Copilot', version, description: 'The local API of one editor window' },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: describeSchema(errorSchema) },
    },
  };
}

const exported = Object.fromEntries(Object.values(exportTypes).map((type) => [type, { schema: { type: 'string' } }]));

const failures = {
  default: { description: 'Failure', content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
};

function describeOperation({ method, path, summary, scope, body, query, result }: Route): Record<string, unknown> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const asked = query === undefined ? {} : (describeSchema(query, 'input').properties as Record<string, unknown>);
  return {
    operationId: operationId(method, path),
    summary,
    description: `Scope: ${scope}`,
    parameters: [
      ...names.map((name) => parameter(name, 'path', { type: 'string' }, true)),
      ...Object.entries(asked).map(([name, schema]) => parameter(name, 'query', schema, false)),
    ],
    ...(body !== undefined && { requestBody: { content: { 'application/json': { schema: describeSchema(body, 'input') } } } }),
    responses: { 200: { description: 'Done', content: { 'application/json': { schema: describeSchema(result) } } }, ...failures },
  };
}

function operationId(method: string, path: string): string {
  const words = path.split('/').filter((part) => part !== '' && part !== 'api' && !part.startsWith('{'));
  return method.toLowerCase() + words.map((word) => (word[0] ?? '').toUpperCase() + word.slice(1)).join('');
}

function parameter(name: string, place: string, schema: unknown, isRequired: boolean) {
  return { name, in: place, schema, required: isRequired };
}

function describeSchema(type: z.ZodType, io: 'input' | 'output' = 'output'): Record<string, unknown> {
  const schema: Record<string, unknown> = { ...z.toJSONSchema(type, { io, unrepresentable: 'any' }) };
  delete schema.$schema;
  return schema;
}
