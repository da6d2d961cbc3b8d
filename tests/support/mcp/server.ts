import { writeFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * A small MCP server with the older protocol, run as a separate program. Its tools and replies are defined in `MCP_SCRIPT` or its argument.
 */

export interface ScriptedTool {
  name: string;
  description?: string;
  inputSchema?: unknown;
  annotations?: Record<string, unknown>;
  /** Text of the result. Default: the arguments as JSON. */
  answers?: string;
  does?: 'hang' | 'crash' | 'big' | 'change' | 'elicit' | 'child' | 'image' | 'write';
}

export interface Script {
  tools?: ScriptedTool[];
  /** Description of the first tool after a call of `change`. */
  changed?: string;
  prompts?: { name: string; description?: string; arguments?: { name: string; required?: boolean }[] }[];
  /** Pages of tools by cursor. The first page has an empty cursor. */
  pages?: Record<string, ScriptedPage>;
  /** If true, every cursor without a page gets a generated page with one more tool and a new cursor. */
  isEndless?: boolean;
  /** If true, every list of tools is followed by a change notification. The tool descriptions contain the number of the list. */
  changesWithEachList?: boolean;
  /** Text on stdout before the first message. */
  prints?: string;
  does?: 'exitAtDiscover' | 'neverAnswers' | 'exitAtOnce' | 'exitSilently';
}

export interface ScriptedPage {
  /** Names of the tools. Without names, the page is an error. */
  names?: string[];
  next?: string;
}

type Message = { id?: number | string; method?: string; params?: Record<string, unknown>; result?: unknown };

const script = JSON.parse(process.env['MCP_SCRIPT'] ?? process.argv[2] ?? '{}') as Script;
const tools = script.tools ?? [];
const waiting = new Map<number | string, (result: unknown) => void>();
let asked = 0;
let lists = 0;

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

const text = (answer: string) => ({ content: [{ type: 'text', text: answer }] });

async function call(name: string, input: unknown): Promise<object | null> {
  const tool = tools.find((one) => one.name === name);
  switch (tool?.does) {
    case 'hang':
      return null;
    case 'crash':
      process.exit(3);
    case 'big':
      return text('x'.repeat(10 * 1024 * 1024));
    case 'change':
      tools[0] = { ...(tools[0] as ScriptedTool), description: script.changed ?? 'changed' };
      send({ method: 'notifications/tools/list_changed' });
      return text('changed');
    case 'elicit': {
      const id = `ask-${(asked += 1)}`;
      const answer = new Promise((resolve) => waiting.set(id, resolve));
      const properties = {
        colour: { type: 'string', title: 'Colour', enum: ['red', 'blue'] },
        count: { type: 'integer', title: 'Count' },
      };
      const requestedSchema = { type: 'object', properties, required: ['colour'] };
      send({ id, method: 'elicitation/create', params: { mode: 'form', message: 'Which one?', requestedSchema } });
      return text(JSON.stringify(await answer));
    }
    case 'child': {
      const { spawn } = await import('node:child_process');
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      return text(String(child.pid));
    }
    case 'write': {
      const { path } = input as { path: string };
      writeFileSync(path, 'written by the server');
      return text(`wrote ${path}`);
    }
    case 'image':
      if (tool.answers !== undefined)
        return { content: [{ type: 'image', data: tool.answers, mimeType: 'image/webp' }, ...text('Done').content] };
      return { content: [{ type: 'image', data: Buffer.alloc(3000).toString('base64'), mimeType: 'image/png' }] };
    default:
      return tool === undefined ? { ...text(`no tool ${name}`), isError: true } : text(tool.answers ?? JSON.stringify(input));
  }
}

function listed(all: readonly ScriptedTool[]) {
  return all.map(({ name, description, inputSchema = { type: 'object' }, annotations }) => ({
    name,
    description,
    inputSchema,
    annotations,
  }));
}

function page(given: unknown, pages: NonNullable<Script['pages']>) {
  const cursor = typeof given === 'string' ? given : '';
  const made = script.isEndless === true ? { names: [`tool${cursor.length}`], next: `${cursor}x` } : {};
  const { names, next } = pages[cursor] ?? made;
  if (names === undefined) throw new Error(`no page ${cursor}`);
  return { tools: listed(names.map((name) => ({ name }))), ...(next !== undefined && { nextCursor: next }) };
}

async function answer({ method, params = {} }: Message): Promise<object | null> {
  switch (method) {
    case 'initialize':
      if (script.does === 'neverAnswers') return null;
      return {
        protocolVersion: params['protocolVersion'],
        capabilities: { tools: { listChanged: true }, ...(script.prompts && { prompts: {} }) },
        serverInfo: { name: 'scripted', version: '1' },
      };
    case 'tools/list':
      if (script.pages !== undefined) return page(params['cursor'], script.pages);
      if (script.changesWithEachList === true) {
        lists += 1;
        send({ method: 'notifications/tools/list_changed' });
        return { tools: listed(tools.map(({ name }) => ({ name, description: `list ${lists}` }))) };
      }
      return { tools: listed(tools) };
    case 'prompts/list':
      return { prompts: script.prompts ?? [] };
    case 'prompts/get':
      return { messages: [{ role: 'user', content: { type: 'text', text: `Prompt ${JSON.stringify(params)}` } }] };
    case 'tools/call':
      return call(String(params['name']), params['arguments']);
    default:
      throw new Error('Method not found');
  }
}

if (script.prints !== undefined) writeSync(1, script.prints);
if (script.does === 'exitSilently') process.exit(7);
if (script.does === 'exitAtOnce') {
  process.stderr.write('no licence key\n');
  process.exit(7);
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message;
  const { id, method } = message;
  if (method === undefined && id !== undefined) waiting.get(id)?.(message.result);
  if (method === 'server/discover' && script.does === 'exitAtDiscover') process.exit(1);
  if (method === undefined || id === undefined) return;
  answer(message).then(
    (result) => result !== null && send({ id, result }),
    (error: Error) => send({ id, error: { code: -32601, message: error.message } }),
  );
});
