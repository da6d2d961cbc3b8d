import assert from 'node:assert/strict';
import type { z } from 'zod';
import { hostRequests } from '../../../src/protocol/hostApi';

interface Scenario {
  ready: unknown;
  sessions: Record<string, unknown>;
}

describe('the pictures and benchmarks of the view', () => {
  it('are given what the extension may answer', async () => {
    const file = '../../../../scripts/gallery/scenarios.mjs';
    const { scenarios } = (await import(file)) as { scenarios: Record<string, Scenario> };
    const problems = Object.entries(scenarios).flatMap(([name, { ready, sessions }]) => [
      ...problemsOf(name, hostRequests.ready.result.safeParse(ready)),
      ...Object.values(sessions).flatMap((session) => problemsOf(name, hostRequests.openSession.result.safeParse(session))),
    ]);
    assert.deepEqual(problems, []);
  });

  function problemsOf(name: string, { error }: { error?: z.ZodError }): string[] {
    return (error?.issues ?? []).map((issue) => `${name}: ${issue.path.join('.')} ${issue.message}`);
  }
});
