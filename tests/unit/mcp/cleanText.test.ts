import assert from 'node:assert/strict';
import { cleanLine, cleanText } from '../../../src/mcp/tools/cleanText';

describe('text from MCP servers', () => {
  it('keeps words apart that a line or paragraph separator is between', () => {
    assert.equal(cleanText('Total\u2028cost:\u202912\u0085EUR'), 'Total cost: 12 EUR');
    assert.equal(cleanLine('Total\u2028cost', 20), 'Total cost');
    assert.equal(cleanText('a\u000bb\u000cc'), 'a b c');
  });

  it('has no invisible characters', () => {
    assert.equal(cleanText('a\u200bb\u202ec\ufeffd\u0000e'), 'abcde');
    assert.equal(cleanText('one\r\ntwo\rthree'), 'one\ntwo\nthree');
  });

  it('is not cut inside a character', () => {
    assert.equal(cleanLine('ab🥛cd', 4), 'ab…');
    assert.equal(cleanLine('ab👩‍👧cd', 5).isWellFormed(), true);
  });
});
