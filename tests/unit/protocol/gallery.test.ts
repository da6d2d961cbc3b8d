import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { hostRequests } from '../../../src/protocol/hostApi';

type Scenario = Record<string, unknown>;
type Request = keyof typeof hostRequests;
interface EditorApi {
  postMessage(message: { t: 'q'; i: Request; m: Request; a: [object] }): Promise<void>;
}

const gallery = path.resolve(__dirname, '../../../../scripts/gallery');
const harness = readFileSync(path.join(gallery, 'harness.js'), 'utf8');
/** Parameters that the gallery's responses may read, for any request. */
const params = {
  sessionId: 's1',
  names: ['meanOf', 'other'],
  paths: ['src/a.ts'],
  query: 'form',
  hash: 'a'.repeat(64),
  beforeSeq: 100,
  offset: 0,
  limit: 100,
};

describe('the pictures and benchmarks of the view', () => {
  it('are given what the extension may answer', async () => {
    const { scenarios } = (await import(path.join(gallery, 'scenarios.mjs'))) as { scenarios: Record<string, Scenario> };
    const problems: string[] = [];
    for (const [name, scenario] of Object.entries(scenarios))
      for (const [request, answer] of await answersOf(scenario)) {
        const { error } = hostRequests[request].result.safeParse(answer);
        for (const issue of error?.issues ?? []) problems.push(`${name}: ${request} ${issue.path.join('.')} ${issue.message}`);
      }
    assert.deepEqual(problems, []);
  });

  /** Returns the gallery's responses that arrive immediately. */
  async function answersOf(scenario: Scenario): Promise<[Request, unknown][]> {
    const answers: [Request, unknown][] = [];
    const window = {
      __gallery: { theme: { variables: {}, bodyClass: '' }, scenario },
      dispatchEvent: ({ data: { i, r } }: MessageEvent<{ i: Request; r?: object }>) => void answers.push([i, r]),
      acquireVsCodeApi: (): EditorApi => assert.fail('made by the harness'),
    };
    const document = { documentElement: { style: {} }, body: {} };
    runInNewContext(harness, { window, document, MessageEvent, structuredClone });
    const api = window.acquireVsCodeApi();
    for (const request of Object.keys(hostRequests) as Request[])
      if (request !== 'reportViewError') void api.postMessage({ t: 'q', i: request, m: request, a: [params] });
    await new Promise(setImmediate);
    // Requests that no screenshot makes have an empty response. Failures have none.
    return answers.filter(([request, answer]) => request in hostRequests && JSON.stringify(answer ?? {}) !== '{}');
  }
});
