import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { exportedSessionSchema } from '../../../src/protocol/exportedSession';

describe('the published schema of an exported session', () => {
  it('is the one that exports are made by', () => {
    const file = path.join(__dirname, '../../../../docs/export.schema.json');
    const published: unknown = JSON.parse(readFileSync(file, 'utf8'));
    assert.deepEqual(published, JSON.parse(JSON.stringify(z.toJSONSchema(exportedSessionSchema, { io: 'input' }))));
  });
});
