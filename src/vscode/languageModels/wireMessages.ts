import * as vscode from 'vscode';
import type { WireMessage, WireTool } from '../../types/ollama';

/** Message part with bytes. VS Code before 1.106 does not have this type. */
interface DataPart {
  mimeType: string;
  data: Uint8Array;
}

/** Converts messages to Ollama's format. Skips unsupported parts. */
export function wireMessages(messages: readonly vscode.LanguageModelChatRequestMessage[]): WireMessage[] {
  const names = new Map<string, string>();
  const wire: WireMessage[] = [];
  for (const { role, content } of messages) {
    const isAssistant = role === vscode.LanguageModelChatMessageRole.Assistant;
    const isSystem = !isAssistant && role !== vscode.LanguageModelChatMessageRole.User;
    const message: WireMessage = { role: isAssistant ? 'assistant' : isSystem ? 'system' : 'user', content: '' };
    for (const part of content) {
      if (part instanceof vscode.LanguageModelTextPart) message.content += part.value;
      else if (part instanceof vscode.LanguageModelToolCallPart) {
        names.set(part.callId, part.name);
        const call = { id: part.callId, function: { name: part.name, arguments: part.input as Record<string, unknown> } };
        message.tool_calls = [...(message.tool_calls ?? []), call];
      } else if (part instanceof vscode.LanguageModelToolResultPart) {
        const known = names.get(part.callId);
        wire.push({
          role: 'tool',
          content: readPartTexts(part.content),
          tool_call_id: part.callId,
          ...(known !== undefined && { tool_name: known }),
        });
      } else if (isData(part)) addData(message, part);
    }
    if (message.content !== '' || message.tool_calls !== undefined || message.images !== undefined) wire.push(message);
  }
  return wire;
}

export function wireTools(tools: readonly vscode.LanguageModelChatTool[] | undefined): WireTool[] {
  return (tools ?? []).map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: (inputSchema ?? { type: 'object', properties: {} }) as Record<string, unknown> },
  }));
}

export function readPartTexts(content: readonly unknown[]): string {
  return content
    .map((part) => {
      if (part instanceof vscode.LanguageModelTextPart) return part.value;
      if (part instanceof vscode.LanguageModelToolCallPart) return JSON.stringify(part.input);
      if (part instanceof vscode.LanguageModelToolResultPart) return readPartTexts(part.content);
      return isData(part) && isText(part) ? Buffer.from(part.data).toString('utf8') : '';
    })
    .join('');
}

function addData(message: WireMessage, part: DataPart): void {
  if (part.mimeType.startsWith('image/')) message.images = [...(message.images ?? []), Buffer.from(part.data).toString('base64')];
  else if (isText(part)) message.content += Buffer.from(part.data).toString('utf8');
}

function isText({ mimeType }: DataPart): boolean {
  return /^text\/|^application\/json\b/.test(mimeType);
}

/** Returns true for data parts. Checks the properties because the class does not exist in every VS Code version. */
function isData(part: unknown): part is DataPart {
  return typeof part === 'object' && part !== null && 'mimeType' in part && 'data' in part && part.data instanceof Uint8Array;
}
