import type { EntryInput } from '../../protocol/entries';
import { editEntry, chooseLabel, resultEntry, textOfPart, textOfParts } from './claudeParts';
import type { ImportedHead, ImportSink, ImportSource } from './importedEntry';
import { textOrNull, readTime, titleFrom } from './importedValues';
import { readJsonLines } from './jsonLines';
import { isRecord } from '../../utils/json';

/** Kinds of lines with internal data of Claude Code. The report uses these names. */
const internalKinds = new Set([
  ...['file-history-snapshot', 'queue-operation', 'progress', 'attachment', 'last-prompt', 'permission-mode', 'mode'],
  ...['pr-link', 'agent-name', 'agent-setting', 'agent-color', 'system', 'tag', 'worktree-state', 'content-replacement'],
]);

/**
 * Creates the source for a Claude Code transcript. Each line is a message or
 * a part of an answer. It contains its own ID and that of the preceding line.
 */
export function claudeCodeSource(file: string, id: string, size: number): ImportSource {
  return { format: 'claudeCode', place: file, file, id, size, read: (sink) => new ClaudeReader(sink).read(file) };
}

interface Line {
  value: Record<string, unknown>;
  number: number;
  id: string;
  time: number | null;
}

class ClaudeReader {
  private readonly prompts: number[] = [];
  private readonly titles: { given: string | null; first: string } = { given: null, first: '' };
  private cwd: string | null = null;
  private model: string | null = null;
  /** Line of the last answer, if it has ended and no line follows. */
  private ended: Line | null = null;
  private compacted = 0;

  constructor(private readonly sink: ImportSink) {}

  read(file: string): ImportedHead {
    for (const line of readJsonLines(file, (bytes) => this.sink.onRead(bytes))) {
      if ('problem' in line) this.sink.issue(line.number, line.problem);
      else this.take(line.value, line.number);
    }
    this.endTurn();
    return {
      title: this.titles.given ?? this.titles.first,
      mode: 'agent',
      // Claude's models are not on the user's server.
      model: null,
      status: 'idle',
      projectPath: this.cwd,
      createdAt: null,
      updatedAt: null,
      isInline: false,
    };
  }

  private take(value: unknown, number: number): void {
    const { sink } = this;
    if (!isRecord(value) || typeof value.type !== 'string') {
      sink.issue(number, 'unknownForm');
      return;
    }
    const line = { value, number, id: textOrNull(value.uuid) ?? `line-${number}`, time: readTime(value.timestamp) };
    const kind = value.isSidechain === true ? 'subagent' : value.type;
    if (kind === 'user') this.takeUser(line);
    else if (kind === 'assistant') this.takeAssistant(line);
    else if (kind === 'summary' || kind === 'custom-title' || kind === 'ai-title') this.takeTitle(value);
    else if (kind === 'subagent' || internalKinds.has(kind)) sink.leaveOut(kind);
    else sink.issue(number, 'unknownForm');
    // A later line may continue from any earlier line.
    if (typeof value.uuid === 'string' && kind !== 'subagent') sink.remember(`line ${value.uuid}`, String(this.prompts.length));
  }

  private takeTitle({ summary, customTitle, aiTitle }: Record<string, unknown>): void {
    const title = textOrNull(customTitle) ?? textOrNull(summary) ?? textOrNull(aiTitle);
    if (title !== null) this.titles.given = titleFrom(title);
  }

  private takeUser(line: Line): void {
    const { value, number } = line;
    const content = isRecord(value.message) ? value.message.content : undefined;
    if (value.isMeta === true) {
      this.sink.leaveOut('meta');
      return;
    }
    if (typeof content !== 'string' && !Array.isArray(content)) {
      this.sink.issue(number, 'unknownForm');
      return;
    }
    this.cwd ??= textOrNull(value.cwd);
    const parts: unknown[] = typeof content === 'string' ? [content] : content;
    const results = parts.filter((part) => isRecord(part) && part.type === 'tool_result');
    const others = parts.filter((part) => !results.includes(part));
    let index = 0;
    for (const part of results) index = this.takeResult(line, part as Record<string, unknown>, index);
    const said = others.map((part) => textOfPart(part));
    if (said.includes(null)) this.sink.issue(number, 'unknownPart');
    const text = said.filter((one) => one !== null).join('\n\n');
    if (others.length > 0 && said.some((one) => one !== null)) this.takeSaid(line, text, index);
  }

  private takeResult(line: Line, part: Record<string, unknown>, index: number): number {
    const callId = String(part.tool_use_id);
    const result = resultEntry(part, this.sink.recall(`call ${callId}`) ?? 'unknown');
    if (result === null) {
      this.sink.issue(line.number, 'unknownPart');
      return index;
    }
    const edit = result.data.status === 'success' ? editEntry(line.value.toolUseResult, callId, this.cwd) : null;
    this.add(line, index, result);
    if (edit !== null) this.add(line, index + 1, edit);
    return index + (edit === null ? 1 : 2);
  }

  private takeSaid(line: Line, text: string, index: number): void {
    const { value } = line;
    if (value.isCompactSummary === true) {
      const throughSeq = this.sink.lastSeq;
      const compactedCount = throughSeq - this.compacted;
      this.compacted = throughSeq;
      this.add(line, index, { type: 'compact_marker', content: text, data: { compactedCount, throughSeq, summary: text } });
    } else if (/^\[Request interrupted by user[^\]]*\]$/.test(text)) {
      this.ended = null;
      this.add(line, index, { type: 'run_end', data: { outcome: 'stopped' } });
    } else {
      this.endTurn();
      this.rewindTo(line);
      const seq = this.add(line, index, { type: 'user_input', content: text, data: { mode: 'agent', attachments: [] } });
      if (seq > 0) this.prompts.push(seq);
      if (this.titles.first === '') this.titles.first = titleFrom(text);
    }
  }

  private takeAssistant(line: Line): void {
    const { message, isApiErrorMessage } = line.value;
    const content = isRecord(message) ? message.content : undefined;
    if (!isRecord(message) || (typeof content !== 'string' && !Array.isArray(content))) {
      this.sink.issue(line.number, 'unknownForm');
      return;
    }
    this.cwd ??= textOrNull(line.value.cwd);
    const model = textOrNull(message.model);
    if (model !== null && !model.startsWith('<')) this.model = model;
    const parts: unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    parts.forEach((part, index) => {
      if (isApiErrorMessage === true) this.takeError(line, part, index);
      else this.takePart(line, isRecord(part) ? part : {}, index);
    });
  }

  private takeError(line: Line, part: unknown, index: number): void {
    const text = textOfParts([part]);
    if (text === null) this.sink.issue(line.number, 'unknownPart');
    else this.add(line, index, { type: 'error', content: text, data: { code: 'imported', actions: [] } });
  }

  private takePart(line: Line, part: Record<string, unknown>, index: number): void {
    const { model, sink } = this;
    if (part.type === 'text' && typeof part.text === 'string') {
      this.add(line, index, { type: 'assistant_output', content: part.text, model, data: { end: 'complete' } });
      const reason = isRecord(line.value.message) ? line.value.message.stop_reason : null;
      this.ended = reason === 'tool_use' ? null : line;
    } else if (part.type === 'thinking' && typeof part.thinking === 'string') {
      this.add(line, index, { type: 'thinking', content: part.thinking, model, data: {} });
    } else if (part.type === 'redacted_thinking') {
      sink.leaveOut('redacted_thinking');
    } else if (isCall(part)) {
      sink.remember(`call ${part.id}`, part.name);
      const data = { callId: part.id, name: part.name, input: part.input, ...chooseLabel(part.input) };
      this.add(line, index, { type: 'tool_call', model, data });
    } else sink.issue(line.number, 'unknownPart');
  }

  private add(line: Line, index: number, input: EntryInput): number {
    this.ended = null;
    return this.sink.add({ id: index === 0 ? line.id : `${line.id}#${index}`, line: line.number, time: line.time, input });
  }

  /** Ends the turn if no tool call follows the last answer. */
  private endTurn(): void {
    const { ended } = this;
    if (ended === null) return;
    this.ended = null;
    this.sink.add({
      id: `${ended.id}#end`,
      line: ended.number,
      time: ended.time,
      input: { type: 'run_end', data: { outcome: 'done' } },
    });
  }

  /** If a message continues from an earlier line, removes the messages after that line from the conversation. */
  private rewindTo(line: Line): void {
    const parent = textOrNull(line.value.parentUuid);
    const count = parent === null ? undefined : this.sink.recall(`line ${parent}`);
    const fromSeq = count === undefined ? undefined : this.prompts[Number(count)];
    if (fromSeq === undefined) return;
    this.sink.add({ id: `${line.id}#rewind`, line: line.number, time: line.time, input: { type: 'rewind', data: { fromSeq } } });
  }
}

interface Call {
  id: string;
  name: string;
  input: Record<string, unknown>;
}

function isCall(part: Record<string, unknown>): part is Record<string, unknown> & Call {
  const { type, id, name, input } = part;
  return (
    (type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use') &&
    typeof id === 'string' &&
    typeof name === 'string' &&
    isRecord(input)
  );
}
