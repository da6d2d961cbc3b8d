import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ElicitResult,
  type GetPromptResult,
  type ListPromptsResult,
  type jsonSchemaValidator,
  type JsonSchemaValidator,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { throwIfAborted } from '../../utils/errors';
import { ServerAuthorization } from '../auth/serverAuthorization';
import type { HttpServer, StdioServer } from '../config/serverConfig';
import { readFormRequest } from './form';
import { guardedFetch } from './guardedFetch';
import { cleanLine } from '../tools/cleanText';
import { ListPages } from './listPages';
import { assertStartAllowed } from './startRefusal';
import type {
  CallResult,
  Connect,
  ConnectionHost,
  ListedPrompt,
  ListedTool,
  ResultPart,
  ServerConnection,
} from './serverConnection';
import { StdioTransport } from './stdioTransport';

/**
 * Maximum time for a server to respond to the newest protocol, in milliseconds. If a
 * program does not respond, an older protocol is used.
 */
const probeMs = 8000;
/** Maximum time for a request, except for tool calls, in milliseconds. */
const answerMs = 30_000;
/** Client timeout for a tool call, in milliseconds. The tool's own time limit is shorter. */
const callMs = 24 * 3_600_000;

/** Accepts any result, because results become text for the model. Does not compile the schemas of servers. */
const unchecked: jsonSchemaValidator = {
  getValidator: (): JsonSchemaValidator<never> => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Connects with the official MCP client, which is loaded when the first server starts. */
export const connect: Connect = async (reach, host, signal) => {
  assertStartAllowed(reach);
  if (reach.kind === 'http') return open(reach, host, signal, 'auto');
  try {
    return await open(reach, host, signal, 'auto');
  } catch (error) {
    throwIfAborted(signal);
    // Some servers exit after an unknown request, so retry with an older protocol.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    host.log('[Trying again with an older protocol]');
    return open(reach, host, signal, 'legacy');
  }
};

async function open(
  reach: StdioServer | HttpServer,
  host: ConnectionHost,
  signal: AbortSignal,
  mode: 'auto' | 'legacy',
): Promise<ServerConnection> {
  let isOver = true;
  const onExit = (code: number | null) => {
    if (!isOver) host.onEnded(code);
    isOver = true;
  };
  const client = new Client(
    { name: 'ollama-copilot', title: 'Ollama Copilot', version: '1' },
    {
      capabilities: { elicitation: { form: {} } },
      jsonSchemaValidator: unchecked,
      versionNegotiation: { mode, probe: { timeoutMs: probeMs } },
      listChanged: {
        // The host limits how often it reads the lists. With a delay here, the client would wait
        // forever if a server constantly reports changes.
        tools: { autoRefresh: false, debounceMs: 0, onChanged: () => host.onToolsChanged() },
        prompts: { autoRefresh: false, debounceMs: 0, onChanged: () => host.onPromptsChanged() },
      },
    },
  );
  client.onerror = (error) => host.log(`[${cleanLine(error.message, 500)}]`);
  client.setRequestHandler('elicitation/create', async ({ params }): Promise<ElicitResult> => {
    const form = readFormRequest(params);
    const content = form === null ? null : await host.answer(form);
    return content === null ? { action: 'decline' } : { action: 'accept', content: content as ElicitResult['content'] & object };
  });
  const pages = new ListPages(client);
  const authorization = createAuthorization(reach, host);
  const transport = createTransport(reach, host, { onExit, authorization, signal });
  // The client does not abort its first request when the signal aborts.
  const end = (): void => void transport.close().catch(() => undefined);
  signal.addEventListener('abort', end, { once: true });
  try {
    await client.connect(transport, { signal, timeout: answerMs });
    throwIfAborted(signal);
  } catch (error) {
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
  isOver = false;
  client.onclose = () => onExit(null);
  const brief = { timeout: answerMs };
  return {
    protocol: client.getNegotiatedProtocolVersion() ?? '',
    pid: transport instanceof StdioTransport ? transport.pid : null,
    tools: async () => {
      const { tools } = await client.listTools(undefined, brief);
      return { entries: tools.map(listed), incomplete: pages.describeEnd('tools/list') };
    },
    prompts: async () => {
      if (client.getServerCapabilities()?.prompts === undefined) return { entries: [], incomplete: null };
      const { prompts } = await client.listPrompts(undefined, brief);
      return { entries: prompts.map(listedPrompt), incomplete: pages.describeEnd('prompts/list') };
    },
    prompt: async (name, values) => promptText(await client.getPrompt({ name, arguments: values }, brief)),
    call: async (name, input, ending) => {
      try {
        return toCallResult(await client.callTool({ name, arguments: input }, { signal: ending, timeout: callMs }));
      } catch (error) {
        throw (await authorization?.neededFor(error)) ?? error;
      }
    },
    close: async () => {
      isOver = true;
      await client.close();
      await transport.close();
    },
  };
}

function createTransport(
  reach: StdioServer | HttpServer,
  host: ConnectionHost,
  {
    onExit,
    authorization,
    signal,
  }: { onExit: (code: number | null) => void; authorization: ServerAuthorization | null; signal: AbortSignal },
): Transport {
  if (reach.kind === 'http') {
    const ask = guardedFetch(new URL(reach.url).origin, () => {
      host.log('[It sent more than 32 MB in one message]');
      // End the call that waits for the message.
      void transport.close();
    });
    const transport: Transport = new StreamableHTTPClientTransport(new URL(reach.url), {
      requestInit: { headers: { ...reach.headers } },
      fetch: authorization?.watched(ask) ?? ask,
      ...(authorization !== null && { authProvider: authorization }),
    });
    return transport;
  }
  const confine = reach.sandbox === true ? host.confine : null;
  return new StdioTransport(reach, {
    onOutput: (text) => host.log(text),
    onStray: (line) => host.onStray(line),
    onExit,
    confine,
    signal,
  });
}

/** Returns the sign-in for a server, or null for a server with an authorization header. */
function createAuthorization(reach: StdioServer | HttpServer, host: ConnectionHost): ServerAuthorization | null {
  if (reach.kind !== 'http' || host.signIns === null) return null;
  if (Object.keys(reach.headers).some((name) => name.toLowerCase() === 'authorization')) return null;
  return new ServerAuthorization(reach.url, host.signIns, (origins) => host.onSignedIn(origins));
}

function listed({ name, title, description = '', inputSchema, annotations = {} }: Tool): ListedTool {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  return {
    name,
    title: title ?? annotations.title ?? '',
    description,
    inputSchema,
    claims: {
      readOnly: readOnlyHint === true,
      destructive: destructiveHint ?? null,
      idempotent: idempotentHint === true,
      openWorld: openWorldHint ?? null,
    },
  };
}

function listedPrompt({ name, description = '', arguments: all = [] }: ListPromptsResult['prompts'][number]): ListedPrompt {
  return {
    name,
    description,
    arguments: all.map((one) => ({ name: one.name, description: one.description ?? '', isRequired: one.required === true })),
  };
}

function toCallResult({ content, isError = false, structuredContent }: CallToolResult): CallResult {
  const parts = content.map(toResultPart);
  if (parts.length === 0 && structuredContent !== undefined)
    parts.push({ kind: 'text', text: JSON.stringify(structuredContent, null, 2) });
  return { isError, parts };
}

function toResultPart(block: CallToolResult['content'][number]): ResultPart {
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: block.text };
    case 'image':
    case 'audio':
      return {
        kind: block.type,
        type: block.mimeType,
        bytes: bytesIn(block.data),
        name: '',
        ...(block.type === 'image' && { data: block.data }),
      };
    case 'resource_link':
      return { kind: 'link', uri: block.uri, name: block.name };
    case 'resource': {
      const { uri, mimeType = '' } = block.resource;
      if ('text' in block.resource) return { kind: 'resource', uri, text: block.resource.text };
      return { kind: 'file', type: mimeType, bytes: bytesIn(block.resource.blob), name: uri };
    }
  }
}

function bytesIn(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}

function promptText({ messages }: GetPromptResult): string {
  const texts = messages.map(({ content }) => {
    const part = toResultPart(content);
    return 'text' in part ? part.text : `[${part.kind}]`;
  });
  return texts.join('\n\n');
}
