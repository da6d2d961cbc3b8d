import type { WireMessage } from '../../../src/types/ollama';
import { OllamaDouble } from '../../support/ollama/double';
import type { GenerationRequest, Reply, Scripted, Step } from '../../support/ollama/doubleReply';

/**
 * Runs the scripted server in a separate process, so that its cost is not measured. The last user message selects the task: `stream N MS`
 * streams N words with pauses of MS milliseconds, `calls N` reads a file N times, one call at a time. Sends its address to the parent, and
 * after each call the time until the next request.
 */
async function main(): Promise<void> {
  const model = { name: 'worker', capabilities: ['completion', 'tools'] as const, contextLength: 1_000_000 };
  const double = await OllamaDouble.start({ models: [model] });
  let lastByte: number | null = null;
  double.intercept((request, response) => {
    if (request.url !== '/api/chat' || !double.requests.at(-1)?.rawBody.includes('"user"')) return false;
    if (lastByte !== null) process.send?.({ gapMs: performance.now() - lastByte });
    lastByte = null;
    const end = response.end.bind(response) as () => typeof response;
    response.end = () => {
      lastByte = isCalling ? performance.now() : null;
      return end();
    };
    return false;
  });
  let isCalling = false;
  double.onChat((request) => {
    const reply = replyTo(request);
    isCalling = reply.steps?.some((step) => typeof step === 'object' && 'call' in step) === true;
    return reply;
  });
  process.send?.({ url: double.url });
  process.on('disconnect', () => void double.close());
}

const words = [' validate', ' the', ' form', ' größer', ' and', ' so', ' on.\n'];

function replyTo({ messages }: GenerationRequest): Reply {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const [what, count = '1', pause = '0'] = (messages[last]?.content ?? '').split(' ');
  if (what === 'stream') {
    const word = (at: number): Step[] => [...(pause === '0' ? [] : [{ wait: Number(pause) }]), words[at % words.length] ?? ''];
    return { steps: Array.from({ length: Number(count) }, (_, at) => word(at)).flat(), unlimited: true };
  }
  const made = messages.slice(last).filter((message: WireMessage) => message.tool_calls !== undefined).length;
  const scripted: Scripted = made < Number(count) ? [read(made + 1)] : ['Done.'];
  return { steps: scripted };
}

/** Reads a different part of the file each time, because repeated calls are stopped. */
function read(startLine: number) {
  return { call: { name: 'read_file', arguments: { path: 'long.txt', startLine, endLine: startLine + 29 } } };
}

void main();
