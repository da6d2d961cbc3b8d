import type { OllamaClient } from '../../services/model/client/ollamaClient';
import type { GenerateRequest } from '../../types/ollama';
import { conservativeTokenLength } from '../../types/tokenLength';
import { loadRequest, type CompletionModel } from '../completionTypes';
import { PromptBuilder } from '../prompt/promptBuilder';
import { cleanCompletion } from '../text/cleanCompletion';

/** Text with a gap, and the responses that fit. */
interface Probe {
  before: string;
  after: string;
  fits: RegExp;
  /** Expected response, as shown to the user. */
  wanted: string;
}

/** Gaps that even the smallest code models can fill, but only if they use the text on both sides. */
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

/** Minimum number of correct responses out of three. */
const needed = 2;

export interface Verdict {
  can: boolean;
  /** A wrong response and the expected response. Null if the model passed. */
  wrong: { answered: string; wanted: string } | null;
  /** Milliseconds since the epoch. */
  testedAt: number;
}

/** Tests a model with up to three gaps. Rejects with the error that the server returned. */
export async function testModel(
  client: Pick<OllamaClient, 'generate' | 'load'>,
  model: CompletionModel,
  { keepAlive, now }: { keepAlive: string | number; now: () => number },
): Promise<Verdict> {
  await client.load(loadRequest(model, keepAlive));
  let right = 0;
  let tried = 0;
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
  const limits = { tokens: 1024, charsPerToken: conservativeTokenLength, maxPrefixChars: 4000, maxSuffixChars: 4000 };
  const { prompt, suffix, stop } = new PromptBuilder().build(document, model, limits, { stable: [], volatile: [] });
  const request: GenerateRequest = {
    model: model.name,
    prompt,
    ...(suffix === undefined ? { raw: true } : { suffix }),
    options: { ...model.options, num_predict: 16, temperature: 0, stop: [...stop, '\n'] },
    keep_alive: keepAlive,
    think: false,
    truncate: false,
    shift: false,
  };
  let raw = '';
  for await (const { response } of client.generate(request)) raw += response;
  const family = model.ask.way === 'raw' ? model.ask.family.name : null;
  // A response that needs cleaning does not count as correct.
  return cleanCompletion({ raw, prefix: before, suffix: after, languageId: 'javascript', multiline: false, family }) ?? raw;
}
