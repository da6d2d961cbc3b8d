/** Builds session logs entry by entry, as the extension would write them. */

const start = Date.UTC(2025, 4, 6, 10, 4);

export class LogBuilder {
  entries = [];

  constructor(sessionId = 's1', model = 'qwen3:14b') {
    Object.assign(this, { sessionId, model });
  }

  add(type, content, data = {}, { isOpen = false, checkpointId = null } = {}) {
    const seq = this.entries.length + 1;
    const model = type === 'thinking' || type === 'assistant_output' || type === 'tool_call' ? this.model : null;
    const base = { id: `e${seq}`, sessionId: this.sessionId, seq, revision: seq, timestamp: start + seq * 1000 };
    this.entries.push({ ...base, type, content, data, isOpen, model, checkpointId, planItemId: null });
    return this;
  }

  user(text, mode = 'agent', attachments = []) {
    return this.add('user_input', text, { mode, attachments }, { checkpointId: `ckpt_${this.entries.length}` });
  }

  thought(text, seconds) {
    return this.add('thinking', text, seconds === undefined ? {} : { durationMs: seconds * 1000 }, {
      isOpen: seconds === undefined,
    });
  }

  answer(text, isOpen = false) {
    const stats = { promptTokens: 9312, answerTokens: 412, answerMs: 9800, contextWindow: 32768 };
    return this.add('assistant_output', text, isOpen ? {} : { end: 'complete', stats }, { isOpen });
  }

  call(callId, name, input, label) {
    return this.add('tool_call', '', { callId, name, input, label });
  }

  result(callId, name, content, data = {}) {
    return this.add('tool_result', content, { callId, name, status: 'success', durationMs: 840, ...data });
  }

  done(outcome = 'done') {
    return this.add('run_end', '', { outcome });
  }

  /** Response to `openSession`. */
  snapshot({ state = 'idle', activity = null, title = 'Validate the signup form', mode = 'agent' } = {}) {
    const times = { createdAt: start, updatedAt: start + 60_000 };
    return {
      session: { id: this.sessionId, title, mode, model: this.model, state: 'idle', ...times },
      entries: this.entries,
      revision: this.entries.length,
      hasEarlier: false,
      run: { sessionId: this.sessionId, state, activity },
    };
  }
}
