import type { PullProgress } from '../../../src/types/ollama';
import { sendJson, type Exchange } from './doubleExchange';
import { DoubleModel, withTag } from './doubleModel';
import { goJson, omitEmpty } from './goJson';
import { nameIn } from './modelLookup';
import { pause } from './pause';
import { WireError } from './wireError';

const partsPerBlob = 4;

/** POST /api/pull */
export async function handlePull(exchange: Exchange): Promise<void> {
  const { body, state, signal, writer } = exchange;
  const named = nameIn(body, '/api/pull');
  if (named === '') throw new WireError(400, 'invalid model name');
  const streams = body.stream !== false;
  const send = async (line: unknown): Promise<void> => {
    if (!streams) return;
    if (!writer.started) writer.begin(200, { 'Content-Type': 'application/x-ndjson' });
    await writer.write(`${goJson(line)}\n`);
  };
  await send({ status: 'pulling manifest' });
  const spec = state.pullable.find((candidate) => withTag(candidate.name) === withTag(named));
  if (!spec && !state.registry.find(named)) {
    const error = 'pull model manifest: file does not exist';
    if (!streams) throw new WireError(500, error, 'application/json');
    await send({ error });
    writer.end();
    return;
  }
  const model = spec ? new DoubleModel(spec, state.now()) : state.registry.find(named);
  for (const line of model ? progress(model) : []) {
    await pause(state.pullDelayMs, signal);
    await send(line);
  }
  if (spec) state.registry.add(spec);
  await send({ status: 'success' });
  if (streams) writer.end();
  else await sendJson(exchange, { status: 'success' });
}

function progress(model: DoubleModel): Partial<PullProgress>[] {
  const blob = (completed: number): Partial<PullProgress> =>
    omitEmpty({ status: `pulling ${model.digest.slice(0, 12)}`, digest: `sha256:${model.digest}`, total: model.size, completed });
  const parts = Array.from({ length: partsPerBlob + 1 }, (_, part) => blob(Math.floor((model.size * part) / partsPerBlob)));
  return [...parts, { status: 'verifying sha256 digest' }, { status: 'writing manifest' }];
}
