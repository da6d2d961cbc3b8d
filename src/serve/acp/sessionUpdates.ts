import path from 'node:path';
import type { SessionUpdate, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk';
import type { DialogEvent } from '../../api/events/eventStream';
import { diffFiles, type DiffLine } from '../../protocol/text/diffLines';
import { visibleControls, visibleLine, visibleText } from '../../protocol/text/visibleText';
import { approvalQuestion, projectsOf, type AskedFact } from '../questions/askedQuestion';

/** Characters of a title, which a client shows in one line; the whole stands below it. */
const mostTitle = 200;

/** Kinds of our tools in the words of the protocol. */
const kinds: Record<string, ToolKind> = {
  ...{ read_file: 'read', list_files: 'read', get_terminal_output: 'read' },
  ...{ create_file: 'edit', write_file: 'edit', replace_in_file: 'edit', replace_lines: 'edit', apply_patch: 'edit' },
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
    const text = typeof event['content'] === 'string' ? visibleControls(event['content']) : '';
    switch (event.type) {
      case 'user':
        return isReplay ? [{ sessionUpdate: 'user_message_chunk', content: { type: 'text', text } }] : [];
      case 'chat':
        return text === '' ? [] : [{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }];
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
        return [this.toolCall(event)];
      case 'file_edit':
        return this.edit(event);
      default:
        return [];
    }
  }

  /** Returns what a permission is asked for, in full: the risk and the folder first. Nothing of it is hidden in the client. */
  approval(event: DialogEvent) {
    const { kind, diff } = event;
    const { title, facts } = approvalQuestion(event, this.folder);
    const subject = projectsOf(event).length > 0 ? title : (event['command'] ?? event['path'] ?? kind);
    const about = facts.filter(({ isMultiline }) => isMultiline !== true).map((fact) => this.line(fact));
    const quoted = facts.filter(({ label, isMultiline }) => isMultiline === true && label !== 'Changes');
    const content: ToolCallContent[] = [
      textContent(fenced(about.join('\n'))),
      ...quoted.map(({ label, text }) => textContent(`${label}:\n${fenced(visibleText(text))}`)),
      ...(typeof diff === 'string' ? this.diffs(event['path'], diff, visibleText) : []),
    ];
    return {
      toolCallId: String(event['call_id']),
      title: titleOf(String(subject)),
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

  /** Returns what a question of the agent asks, in full, and the names of its answers. */
  question(event: DialogEvent) {
    const text = String(event['content']);
    const answers = Array.isArray(event['options']) ? event['options'].map(String) : [];
    const content = [textContent(fenced(visibleText(text)))];
    return {
      toolCall: { toolCallId: String(event['call_id']), title: titleOf(text), kind: 'other' as const, content },
      answers,
      names: answers.map(visibleLine),
    };
  }

  private line({ label, text }: AskedFact): string {
    return `${label}: ${visibleLine(label === 'Folder' ? path.resolve(this.folder, text) : text)}`;
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
        ...{ title: titleOf(typeof about === 'string' ? `${name} ${about}` : name), kind: kinds[name] ?? 'other' },
        ...(typeof args['path'] === 'string' && { locations: [{ path: path.resolve(this.folder, args['path']) }] }),
      };
    }
    const isDone = event['status'] === 'success';
    const result = typeof event['result'] === 'string' ? visibleControls(event['result']) : '';
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
   * Returns a unified diff as the protocol has it, file by file, and says what was left out of it. `shown` is the path of the one file of a
   * diff, where it is known; else the diff names its files. Lines that belong to no file are returned as text.
   */
  private diffs(shown: unknown, diff: string, show: (text: string) => string): ToolCallContent[] {
    const files = diffFiles(diff);
    return files.flatMap(({ before, after, lines }): ToolCallContent[] => {
      if (lines.length === 0) return [];
      const name = files.length === 1 && typeof shown === 'string' ? shown : (after ?? before);
      if (name === null) return [textContent(`Changes:\n${fenced(show(diff.replace(/\n$/, '')))}`)];
      const side = (kind: DiffLine['kind']) =>
        lines.flatMap((line) => (line.kind === kind || line.kind === 'same' ? [show(line.text)] : [])).join('\n');
      const notes = lines.filter(({ kind, text }) => kind === 'place' && text !== '⋯').map(({ text }) => textContent(text));
      const file = path.resolve(this.folder, visibleLine(name));
      return [{ type: 'diff', path: file, oldText: side('removed'), newText: side('added') }, ...notes];
    });
  }
}

/** Fits a text into a title. */
function titleOf(text: string): string {
  const title = visibleLine(text.slice(0, mostTitle + 1));
  return title.length > mostTitle ? `${title.slice(0, mostTitle).replace(/[\ud800-\udbff]$/, '')}…` : title;
}

/** Returns a text that a client shows as it is, whatever Markdown is in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}
