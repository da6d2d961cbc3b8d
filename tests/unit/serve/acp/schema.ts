import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020';

interface Definition {
  'x-side'?: 'agent' | 'client';
  'x-method'?: string;
}

const file = require.resolve('@agentclientprotocol/sdk/schema/v1/schema.json');
const schema = JSON.parse(readFileSync(file, 'utf8')) as { $defs: Record<string, Definition> };
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(schema, 'acp');
const validators = new Map<string, ValidateFunction>();

/** Asserts that a result, or the parameters of a request or notification, match the protocol schema. */
export function assertFits(kind: 'Request' | 'Response' | 'Notification', method: string, value: unknown): void {
  const name = Object.entries(schema.$defs).find(([one, { 'x-method': of }]) => of === method && one.endsWith(kind))?.[0];
  assert.ok(name !== undefined, `The schema has no ${kind} of ${method}`);
  const validate = validators.get(name) ?? ajv.compile({ $ref: `acp#/$defs/${name}` });
  validators.set(name, validate);
  assert.ok(validate(value), `${method}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value).slice(0, 2000)}`);
}
