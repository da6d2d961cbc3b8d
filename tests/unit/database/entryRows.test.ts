import assert from 'node:assert/strict';
import { storableText, toFields } from '../../../src/services/database/log/entryFields';
import { toEntry } from '../../../src/services/database/log/entryRows';

describe('entryRows', () => {
  it('puts what has a column of its own there and nowhere else', () => {
    const call = toFields({ type: 'tool_call', data: { callId: 'c', name: 'read_file', input: { path: 'a' }, label: 'a' } });
    assert.deepEqual(
      [call.role, call.tool_name, call.tool_input, call.progress_title, call.data],
      ['assistant', 'read_file', '{"path":"a"}', 'a', '{"callId":"c"}'],
    );
    const result = toFields({
      type: 'tool_result',
      content: 'read',
      data: { callId: 'c', name: 'read_file', status: 'success', summary: '1 line', display: 'shown' },
    });
    assert.deepEqual(
      [result.role, result.content, result.tool_output, result.progress_title, result.data],
      ['tool', 'read', 'shown', '1 line', '{"callId":"c","status":"success"}'],
    );
  });

  it('keeps what an older or newer build stored beside the fields it knows', () => {
    const fields = toFields({ type: 'run_end', data: { outcome: 'done' } });
    const row = { ...fields, id: 'i', session_id: 's', seq: 1, revision: 1, is_open: 0 as const, timestamp: 1, checksum: null };
    const entry = toEntry({ ...row, data: '{"outcome":"done","unknown":1}' });
    assert.deepEqual([entry.type, entry.data], ['run_end', { outcome: 'done' }]);
  });

  it('replaces lone surrogates and NUL, one code unit for one', () => {
    assert.equal(storableText('\ude00a\0\ud83d\ude00\ud83d'), '\ufffda\u2400😀\ufffd');
  });
});
