import { resultOpening } from '../../protocol/printedCalls';
import type { WireMessage } from '../../types/ollama';
import { withoutKeys } from '../../utils/sensitivity/keyShapes';
import { leftOut, mapTexts, namesSecret, withoutContents, type IsSecret } from './selection';

/**
 * Matches an attached file in a message, up to the end of its fence. If the fence
 * was truncated, matches up to the end of the message. See `withAttachments`.
 */
const attached = /^(Attached [a-z]+: (.+?)(?:, lines \d+ to \d+)?\n(`{3,})\n)[^]*?(\n\3$|$(?![^]))/gm;

/**
 * Returns the body of a request without keys and without the contents of secret
 * files, as in an export. Keeps all other values and the order of the fields.
 */
export function redactRequest(body: object, isSecret: IsSecret): object {
  const { messages } = body as { messages?: unknown };
  const chosen = Array.isArray(messages) ? { ...body, messages: withoutSecrets(messages as WireMessage[], isSecret) } : body;
  return mapTexts(chosen, withoutKeys);
}

function withoutSecrets(messages: readonly WireMessage[], isSecret: IsSecret): WireMessage[] {
  const secretCalls = new Set<string>();
  let isPrintedSecret = false;
  return messages.map((message): WireMessage => {
    const { role, content, tool_calls: calls } = message;
    if (role === 'tool') return secretCalls.has(message.tool_call_id ?? '') ? { ...message, content: leftOut } : message;
    if (role === 'assistant') {
      isPrintedSecret = namesSecret({ content: content.replaceAll(/\s+/g, ' ').slice(0, maxPrinted) }, isSecret);
      if (calls === undefined) return message;
      return { ...message, tool_calls: calls.map((call) => withoutSecretInput(call, secretCalls, isSecret)) };
    }
    if (role !== 'user') return message;
    if (isPrintedSecret && content.startsWith(resultOpening)) return { ...message, content: leftOut };
    return {
      ...message,
      content: content.replace(attached, (whole, head: string, path: string, _fence: string, end: string) =>
        isSecret(path) ? `${head}${leftOut}${end}` : whole,
      ),
    };
  });
}

/** Maximum length of a text in which `namesSecret` looks for paths. */
const maxPrinted = 4096;

type WireCall = NonNullable<WireMessage['tool_calls']>[number];

function withoutSecretInput(call: WireCall, secretCalls: Set<string>, isSecret: IsSecret): WireCall {
  if (!namesSecret(call.function.arguments, isSecret)) return call;
  secretCalls.add(call.id ?? '');
  return { ...call, function: { ...call.function, arguments: withoutContents(call.function.arguments) } };
}
