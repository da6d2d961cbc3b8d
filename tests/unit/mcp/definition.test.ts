import assert from 'node:assert/strict';
import { changedParts, definitionParts } from '../../../src/mcp/config/definition';
import { fileText } from '../../../src/mcp/config/fileQuestion';
import { unseenIn } from '../../support/questions/shownTexts';

const hidden = 'a\ufe01b\u034fc\u180bd\u180fe\u2800f\u202eg\u{e0072}h\u001bi';
const stdio = { kind: 'stdio' as const, command: 'node', args: [] as string[], env: {}, cwd: null };

describe('what a person reads about an MCP server', () => {
  it('has no character that nobody sees', () => {
    const reach = { ...stdio, args: [hidden], env: { [hidden]: hidden } };
    const http = { kind: 'http' as const, url: hidden, headers: { [hidden]: hidden } };
    const parts = [...definitionParts({ reach, folder: hidden }), ...definitionParts({ reach: http, folder: null })];
    assert.deepEqual(unseenIn(JSON.stringify(parts)), []);
    const servers = [{ name: hidden, reach }] as never;
    assert.deepEqual(unseenIn(fileText({ path: hidden, servers, environment: [hidden] })), []);
  });

  it('has every name in one line, and marks the further lines of a value', () => {
    const reach = { ...stdio, args: ['a\nb'], env: { 'A\n  Program: ls': 'c' } };
    const servers = [{ name: 'x\ny', reach }] as never;
    assert.equal(
      fileText({ path: '/w/mcp\n.json', servers, environment: ['T\nU'] }),
      [
        ...['/w/mcp⟨U+000A⟩.json', '', 'x⟨U+000A⟩y', '  Program: node', '  Argument 1: a', '    ⏎ b'],
        ...['  Variable A⟨U+000A⟩  Program: ls: c', '', 'Environment variables for these servers:', '  T⟨U+000A⟩U', ''],
      ].join('\n'),
    );
  });

  it('shows a change that nobody would see', () => {
    const [before, after] = ['rm', 'r\u034fm'].map((command) => ({ reach: { ...stdio, command }, folder: null }));
    assert.deepEqual(before && after && changedParts(before, after), [{ label: 'Program', before: 'rm', after: 'r⟨U+034F⟩m' }]);
  });
});
