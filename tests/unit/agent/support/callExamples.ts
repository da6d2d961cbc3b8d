import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ExampleCall } from './writeCalls';

export interface CallExample {
  id: string;
  question: string;
  calls: ExampleCall[];
}

/** Returns all examples of bfcl-eval (Apache-2.0) if `BFCL` names the file, otherwise the eighty in the fixtures. */
export function callExamples(): CallExample[] {
  const file = process.env.BFCL || path.join(process.cwd(), 'tests', 'unit', 'agent', 'fixtures', 'bfcl', 'calls.jsonl');
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CallExample);
}
