import path from 'node:path';
import type { SessionUpdate, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk';
import type { DialogEvent } from '../../api/events/eventStream';
import { diffFiles, type DiffLine } from '../../protocol/text/diffLines';
import { visibleControls, visibleLine, visibleText } from '../../protocol/text/visibleText';
import type { TrackedOutput } from '../../services/terminal/run/commandOutputs';
import { toPlanUpdates } from './planUpdates';
import { fenced, textContent, firstLine } from './updateText';
import { approvalQuestion, listProjects, type AskedFact } from '../questions/askedQuestion';

const kinds: Record<string, ToolKind> = {
  read_file: 'read',
  list_files: 'read',
  get_terminal_output: 'read',
  create_file: 'edit',
  write_file: 'edit',
  replace_in_file: 'edit',
  replace_lines: 'edit',
  apply_patch: 'edit',
  delete_file: 'delete',
  rename_file: 'move',
  run_terminal_command: 'execute',
  run_tests: 'execute',
  search_workspace: 'search',
  find_files: 'search',
  search_codebase: 'search',
  search_history: 'search',
};

/** Converts the events of a dialog to protocol updates. Paths are relative to `folder`. */
export class SessionUpdates {
  /** ID of the tool call that the following edits belong to. */
  private call: string | null = null;
  /** Calls with a diff as content. */
  private readonly edited = new Set<string>();
  private readonly running = new Set<string>();
  /** True after a complete answer. The next answer starts with a paragraph break, because clients join the chunks. */
  private isAfterAnswer = false;

  constructor(private readonly folder: string) {}

  /** Returns the updates for an event. With `isReplay`, also includes the user's messages. */
  of(event: DialogEvent, isReplay: boolean): SessionUpdate[] {
    const text = typeof event['content'] === 'string' ? visibleControls(event['content']) : '';
    const gap = this.isAfterAnswer && event.type === 'chat' && text !== '' ? '\n\n' : '';
    this.isAfterAnswer = event.type === 'chat' && (event['end'] === 'complete' || (this.isAfterAnswer && text === ''));
    switch (event.type) {
      case 'user':
        return isReplay && text !== '' ? [{ sessionUpdate: 'user_message_chunk', content: { type: 'text', text } }] : [];
      case 'chat':
        return text === '' ? [] : [{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: gap + text } }];
      case 'reasoning':
        return text === '' ? [] : [{ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } }];
      case 'error':
        return [
          {
            sessionUpdate: 'agent_message_chunk',
            content: { type: 'text', text: `\n${visibleControls(String(event['error']))}\n` },
          },
        ];
      case 'tool_call':
        return [this.toolCall(event), ...toPlanUpdates(event)];
      case 'plan':
        return toPlanUpdates(event);
      case 'file_edit':
        return this.edit(event);
      default:
        return [];
    }
  }

  /** Returns the complete content of a permission request, starting with the risk and the folder. The client shows all of it. */
  approval(event: DialogEvent) {
    const { kind, diff } = event;
    const { title, facts } = approvalQuestion(event, this.folder);
    const subject = listProjects(event).length > 0 ? title : (event['command'] ?? event['path'] ?? kind);
    const about = facts.filter(({ isMultiline }) => isMultiline !== true).map((fact) => this.line(fact));
    const quoted = facts.filter(({ label, isMultiline }) => isMultiline === true && label !== 'Changes');
    const content: ToolCallContent[] = [
      textContent(fenced(about.join('\n'))),
      ...quoted.map(({ label, text }) => textContent(`${label}:\n${fenced(visibleText(text))}`)),
      ...(typeof diff === 'string' ? this.diffs(event['path'], diff, visibleText) : []),
    ];
    return {
      toolCallId: String(event['call_id']),
      title: firstLine(String(subject)),
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

  /** Returns the full text of the agent's question and the labels of its choices. */
  question(event: DialogEvent) {
    const text = String(event['content']);
    const answers = Array.isArray(event['options']) ? event['options'].map(String) : [];
    const content = [textContent(fenced(visibleText(text)))];
    return {
      toolCall: { toolCallId: String(event['call_id']), title: firstLine(text), kind: 'other' as const, content },
      answers,
      names: answers.map(visibleLine),
    };
  }

  /** Returns updates with the output of running calls. Omits calls that the client has not received and calls that have ended. */
  outputs(printed: readonly TrackedOutput[]): SessionUpdate[] {
    const running = printed.filter(({ callId }) => this.running.has(callId));
    return running.map(({ callId, output, note }) => {
      const content = [textContent(note ?? fenced(visibleText(output)))];
      return { sessionUpdate: 'tool_call_update', toolCallId: callId, status: 'in_progress', content };
    });
  }

  private line({ label, text }: AskedFact): string {
    return `${label}: ${visibleLine(label === 'Folder' ? path.resolve(this.folder, text) : text)}`;
  }

  private toolCall(event: DialogEvent): SessionUpdate {
    const toolCallId = String(event['id']);
    if (event['status'] === 'running') {
      this.call = toolCallId;
      this.running.add(toolCallId);
      const name = String(event['name']);
      const args = (event['args'] ?? {}) as Record<string, unknown>;
      const about = args['path'] ?? args['command'] ?? args['query'] ?? args['pattern'];
      return {
        sessionUpdate: 'tool_call',
        toolCallId,
        status: 'in_progress',
        rawInput: args,
        title: firstLine(typeof about === 'string' ? `${name} ${about}` : name),
        kind: kinds[name] ?? 'other',
        ...(typeof args['path'] === 'string' && { locations: [{ path: path.resolve(this.folder, args['path']) }] }),
      };
    }
    this.running.delete(toolCallId);
    const isDone = event['status'] === 'success';
    const result = typeof event['result'] === 'string' ? visibleControls(event['result']) : '';
    return {
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: isDone ? 'completed' : 'failed',
      ...(this.edited.delete(toolCallId) || result === '' ? {} : { content: [textContent(result)] }),
    };
  }

  private edit(event: DialogEvent): SessionUpdate[] {
    const file = event['new_file'] ?? event['file'];
    if (this.call === null || typeof file !== 'string' || typeof event['diff'] !== 'string') return [];
    this.edited.add(this.call);
    const locations = [{ path: path.resolve(this.folder, file) }];
    return [
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: this.call,
        content: this.diffs(file, event['diff'], visibleControls),
        locations,
      },
    ];
  }

  /**
   * Converts a unified diff to one protocol diff per file, and states omissions. `shown` is the path of the only file, if
   * known. Otherwise, the diff contains the names of its files. Lines that belong to no file are returned as text.
   */
  private diffs(shown: unknown, diff: string, show: (text: string) => string): ToolCallContent[] {
    const files = diffFiles(diff);
    return files.flatMap(({ before, after, lines, unended }): ToolCallContent[] => {
      if (lines.length === 0) return [];
      const name = files.length === 1 && typeof shown === 'string' ? shown : (after ?? before);
      if (name === null) return [textContent(`Changes:\n${fenced(show(diff.replace(/\n$/, '')))}`)];
      const side = (kind: DiffLine['kind'], isUnended: boolean) => {
        const rows = lines.flatMap((line) => (line.kind === kind || line.kind === 'same' ? [show(line.text)] : []));
        return rows.join('\n') + (rows.length === 0 || isUnended ? '' : '\n');
      };
      const notes = lines.filter(({ kind, text }) => kind === 'place' && text !== '⋯').map(({ text }) => textContent(text));
      const file = path.resolve(this.folder, visibleLine(name));
      return [
        { type: 'diff', path: file, oldText: side('removed', unended.before), newText: side('added', unended.after) },
        ...notes,
      ];
    });
  }
}
