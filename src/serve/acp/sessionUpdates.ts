import path from 'node:path';
import type { SessionUpdate, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk';
import type { DialogEvent } from '../../api/events/eventStream';

/** Kinds of our tools in the words of the protocol. */
const kinds: Record<string, ToolKind> = {
  ...{ read_file: 'read', list_files: 'read', get_terminal_output: 'read' },
  ...{ create_file: 'edit', write_file: 'edit', replace_in_file: 'edit', apply_patch: 'edit' },
  ...{ delete_file: 'delete', rename_file: 'move', run_terminal_command: 'execute', run_tests: 'execute' },
  ...{ search_workspace: 'search', find_files: 'search', search_codebase: 'search', search_history: 'search' },
};

/** Translates the events of one dialog into updates of the protocol. `folder` is what paths are relative to. */
export class SessionUpdates {
  /** Call whose edits come now. */
  private call: string | null = null;

  constructor(private readonly folder: string) {}

  /** Returns what a client is told of an event. `isReplay`: the person's own messages are told too. */
  of(event: DialogEvent, isReplay: boolean): SessionUpdate[] {
    const text = typeof event['content'] === 'string' ? event['content'] : '';
    switch (event.type) {
      case 'user':
        return isReplay ? [{ sessionUpdate: 'user_message_chunk', content: { type: 'text', text } }] : [];
      case 'chat':
        return text === '' ? [] : [{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }];
      case 'reasoning':
        return text === '' ? [] : [{ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } }];
      case 'error':
        return [{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `\n${String(event['error'])}\n` } }];
      case 'tool_call':
        return [this.toolCall(event)];
      case 'file_edit':
        return this.edit(event);
      default:
        return [];
    }
  }

  /** Returns what a permission is asked for. */
  approval(event: DialogEvent) {
    const kind = event['kind'];
    const diff = typeof event['diff'] === 'string' && typeof event['path'] === 'string';
    const risk = [typeof event['severity'] === 'string' ? [`risk: ${event['severity']}`] : [], event['reasons'] ?? []].flat();
    const content: ToolCallContent[] = [
      ...(diff ? [this.diff(String(event['path']), String(event['diff']))] : []),
      ...(risk.length > 0 ? [textContent(risk.map(String).join('; '))] : []),
    ];
    return {
      toolCallId: String(event['call_id']),
      title: String(event['command'] ?? event['path'] ?? kind),
      kind:
        kind === 'command'
          ? ('execute' as const)
          : kind === 'edit'
            ? ('edit' as const)
            : kind === 'read'
              ? ('read' as const)
              : ('other' as const),
      content,
    };
  }

  private toolCall(event: DialogEvent): SessionUpdate {
    const toolCallId = String(event['id']);
    if (event['status'] === 'running') {
      this.call = toolCallId;
      const name = String(event['name']);
      const args = (event['args'] ?? {}) as Record<string, unknown>;
      const about = args['path'] ?? args['command'] ?? args['query'] ?? args['pattern'];
      return {
        ...{ sessionUpdate: 'tool_call', toolCallId, status: 'in_progress', rawInput: args },
        ...{ title: typeof about === 'string' ? `${name} ${about}` : name, kind: kinds[name] ?? 'other' },
        ...(typeof args['path'] === 'string' && { locations: [{ path: path.resolve(this.folder, args['path']) }] }),
      };
    }
    const isDone = event['status'] === 'success';
    const result = typeof event['result'] === 'string' ? event['result'] : '';
    return {
      ...{ sessionUpdate: 'tool_call_update', toolCallId, status: isDone ? 'completed' : 'failed' },
      // The diffs of an edit stay.
      ...(this.edited.delete(toolCallId) || result === '' ? {} : { content: [textContent(result)] }),
    };
  }

  private readonly edited = new Set<string>();

  private edit(event: DialogEvent): SessionUpdate[] {
    const file = event['new_file'] ?? event['file'];
    if (this.call === null || typeof file !== 'string' || typeof event['diff'] !== 'string') return [];
    this.edited.add(this.call);
    const locations = [{ path: path.resolve(this.folder, file) }];
    return [{ sessionUpdate: 'tool_call_update', toolCallId: this.call, content: [this.diff(file, event['diff'])], locations }];
  }

  private diff(file: string, diff: string): ToolCallContent {
    const lines = diff.split('\n').filter((line) => !/^(---|\+\+\+|@@|\\|diff |index )/.test(line));
    const side = (sign: string) =>
      lines.flatMap((line) => (line.startsWith(sign) || line.startsWith(' ') ? [line.slice(1)] : [])).join('\n');
    return { type: 'diff', path: path.resolve(this.folder, file), oldText: side('-'), newText: side('+') };
  }
}

function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}
