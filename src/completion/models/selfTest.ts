import type { OllamaClient } from '../../services/model/client/ollamaClient';
import type { GenerateRequest } from '../../types/ollama';
import { carefulTokenLength } from '../../types/tokenLength';
import { loadRequest, type CompletionModel } from '../completionTypes';
import { PromptBuilder } from '../prompt/promptBuilder';
import { cleanCompletion } from '../text/cleanCompletion';

/** Gap in a text, and what fits into it. */
interface Probe {
  before: string;
  after: string;
  fits: RegExp;
  /** Words for a person: what was to come. */
  wanted: string;
}

/** Gaps that the smallest code models fill, and that nobody fills who does not look at both sides. */
const probes: readonly Probe[] = [
  {
    before: 'function add(first, second) {\n  return first + ',
    after: ';\n}\n\nconsole.log(add(1, 2));\n',
    fits: /^second\b/,
    wanted: 'second',
  },
  {
    before: 'const width = 3;\nconst height = 4;\nconst area = ',
    after: ';\nconsole.log(area); // 12, width times height\n',
    fits: /^(width\s*\*\s*height|height\s*\*\s*width)\b/,
    wanted: 'width * height',
  },
  {
    before: 'def is_even(number):\n    return number % 2 == 0\n\ndef is_odd(number):\n    return ',
    after: '\n\nprint(is_odd(3))\n',
    fits: /^(number\s*%\s*2\s*(!=\s*0|==\s*1|>\s*0)|not\s+is_even\(number\))/,
    wanted: 'number % 2 != 0',
  },
];

/** Right answers out of three by which a model is proven. */
const needed = 2;

/** Verdict of a self-test. */
export interface Verdict {
  can: boolean;
  /** An answer that was wrong, and what was to come; null where the model can. */
  wrong: { answered: string; wanted: string } | null;
  /** Milliseconds since the epoch. */
  testedAt: number;
}

/** Asks a model at most three times to fill a gap, and tells whether it can. Rejects with an error of the server. */
export async function testModel(
  client: Pick<OllamaClient, 'generate' | 'load'>,
  model: CompletionModel,
  { keepAlive, now }: { keepAlive: string | number; now: () => number },
): Promise<Verdict> {
  await client.load(loadRequest(model, keepAlive));
  let [right, tried] = [0, 0];
  let wrong: Verdict['wrong'] = null;
  for (const probe of probes) {
    const answered = await fill(client, model, probe, keepAlive);
    tried += 1;
    if (probe.fits.test(answered.trim())) right += 1;
    else wrong ??= { answered: answered.trim().slice(0, 60), wanted: probe.wanted };
    if (right === needed || tried - right > probes.length - needed) break;
  }
  const can = right >= needed;
  return { can, wrong: can ? null : wrong, testedAt: now() };
}

async function fill(
  client: Pick<OllamaClient, 'generate'>,
  model: CompletionModel,
  { before, after }: Probe,
  keepAlive: string | number,
): Promise<string> {
  const document = { uri: 'probe', path: 'probe.js', languageId: 'javascript', before, after, lineCount: 8 };
  const limits = { tokens: 1024, charsPerToken: carefulTokenLength, maxPrefixChars: 4000, maxSuffixChars: 4000 };
  const { prompt, suffix, stop } = new PromptBuilder().build(document, model, limits, { stable: [], volatile: [] });
  const request: GenerateRequest = {
    ...{ model: model.name, prompt, ...(suffix === undefined ? { raw: true } : { suffix }) },
    options: { ...model.options, num_predict: 16, temperature: 0, stop: [...stop, '\n'] },
    ...{ keep_alive: keepAlive, think: false, truncate: false, shift: false },
  };
  let raw = '';
  for await (const { response } of client.generate(request)) raw += response;
  const family = model.ask.way === 'raw' ? model.ask.family.name : null;
  // What cleaning has to mend is no proof.
  return cleanCompletion({ raw, prefix: before, suffix: after, languageId: 'javascript', multiline: false, family }) ?? raw;
}
