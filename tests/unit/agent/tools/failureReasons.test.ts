import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { completeStepTool } from '../../../../src/agent/tools/ask/completeStep';
import { runSubagentTool } from '../../../../src/agent/tools/ask/runSubagent';
import { updateTodosTool } from '../../../../src/agent/tools/ask/updateTodos';
import { getTerminalOutputTool } from '../../../../src/agent/tools/command/getTerminalOutput';
import { runTerminalCommandTool } from '../../../../src/agent/tools/command/runTerminalCommand';
import { runTestsTool } from '../../../../src/agent/tools/command/runTests';
import { applyPatchTool } from '../../../../src/agent/tools/edit/applyPatch';
import { createFileTool } from '../../../../src/agent/tools/edit/createFile';
import { replaceInFileTool } from '../../../../src/agent/tools/edit/replaceInFile';
import { replaceLinesTool } from '../../../../src/agent/tools/edit/replaceLines';
import { loadableTools } from '../../../../src/agent/tools/kernel/compactTools';
import { defineTool, type Tool } from '../../../../src/agent/tools/kernel/tool';
import { ToolRegistry } from '../../../../src/agent/tools/kernel/toolRegistry';
import { languageTools } from '../../../../src/agent/tools/language/languageTools';
import { getDiagnosticsTool } from '../../../../src/agent/tools/read/getDiagnostics';
import { listFilesTool } from '../../../../src/agent/tools/read/listFiles';
import { readFileTool } from '../../../../src/agent/tools/read/readFile';
import { searchCodebaseTool } from '../../../../src/agent/tools/read/searchCodebase';
import { searchWorkspaceTool } from '../../../../src/agent/tools/read/searchWorkspace';
import { CodebaseError } from '../../../../src/services/codebase/codebaseClient';
import { SearchError } from '../../../../src/services/search/textQuery';
import type { BackgroundCommand } from '../../../../src/protocol/requests/runningCommands';
import type { Texts } from '../../../../src/types/texts';
import { setTexts } from '../../../../src/utils/l10n';
import { ToolBench } from '../support/toolBench';

const german = JSON.parse(readFileSync('l10n/bundle.l10n.de.json', 'utf8')) as Texts;

type Make = (bench: ToolBench) => Tool;
/** Tool and arguments of a failing call, the reason for the user, and the start of the text for the model. */
type Failure = [title: string, make: Make, input: Record<string, unknown>, reason: string, english: string];

const never = (): never => assert.fail('The failed call did something');
const running = (count: number): BackgroundCommand[] =>
  Array.from({ length: count }, (_, index) => ({ id: `terminal-${index}`, command: 'npm run dev' }));
const background = (count: number) => ({ start: never, running: () => running(count), whenEnded: never });
const command: Make = ({ access }) => runTerminalCommandTool(access, { terminals: { run: never }, background: background(20) });
const tests: Make = ({ access }) => runTestsTool(access, { terminals: { run: never }, background: background(0) });
const read: Make = ({ access, editors }) => readFileTool(access, editors);
const replace: Make = ({ editing }) => replaceInFileTool(editing);
const lines: Make = ({ editing }) => replaceLinesTool(editing);
const patch: Make = ({ editing }) => applyPatchTool(editing);
const list: Make = ({ paths }) => listFilesTool(paths);
const search: Make = ({ access }) =>
  searchWorkspaceTool(access, { search: () => Promise.reject(new SearchError('pattern', 'unclosed group')) });
const stopped: Make = ({ access }) =>
  searchWorkspaceTool(access, { search: () => Promise.reject(new SearchError('unavailable', 'The search ended.')) });
const codebase: Make = ({ access }) =>
  searchCodebaseTool(access, { find: () => Promise.reject(new CodebaseError('broken', 'The index is damaged')) });
const language =
  (name: string, isText = true): Make =>
  ({ access }) => {
    const port = {
      text: async () => (isText ? { text: 'const a = 1;\n\n', language: 'typescript' } : null),
      symbols: async () => [],
      find: never,
      related: never,
      hover: never,
      hierarchy: never,
    };
    return languageTools({ access, language: port }).find((tool) => tool.name === name) ?? never();
  };
const other = (name: string): Tool =>
  defineTool({ name, description: '', schema: z.object({}), effect: 'none', label: () => name, run: never });
const update = (...body: string[]) => ({ patch: ['*** Begin Patch', ...body, '*** End Patch'].join('\n') });

// prettier-ignore
const failures: Failure[] = [
  ['read_file: no file', read, { path: 'gone.ts' }, 'Es gibt keine Datei gone.ts.', 'There is no file gone.ts.'],
  ['read_file: a folder', read, { path: 'src' }, 'src ist ein Ordner, keine Datei.', 'src is a folder, not a file.'],
  ['read_file: the end before the start', read, { path: 'a.ts', startLine: 3, endLine: 2 }, 'Die letzte Zeile (2) liegt vor der ersten Zeile (3).', 'endLine (2) is before startLine (3).'],
  ['read_file: too far', read, { path: 'a.ts', startLine: 9 }, 'a.ts enthält nur 3 Zeilen.', 'a.ts has only 3 lines; startLine was 9.'],
  ['read_file: too far in one line', read, { path: 'one.ts', startLine: 9 }, 'one.ts enthält nur 1 Zeile.', 'one.ts has only 1 lines; startLine was 9.'],
  ['read_file: binary', read, { path: 'image.png' }, 'image.png ist eine Binärdatei und kann daher nicht als Text gelesen werden.', 'image.png is a binary file (4 bytes), so it cannot be read as text.'],
  ['read_file: home', read, { path: '~/a.ts' }, '~/a.ts befindet sich im Basisordner.', '~/a.ts is in the home folder. Give a path relative to the workspace.'],
  ['read_file: an address', read, { path: 'https://a.example/a' }, 'https://a.example/a ist eine Adresse.', 'https://a.example/a is an address. Give a path relative to the workspace.'],
  ['read_file: a share', read, { path: '//server/a' }, '//server/a ist ein Netzwerk- oder Gerätepfad.', '//server/a is a network or device path. Give a path relative to the workspace.'],
  ['list_files: no folder', list, { path: 'gone' }, 'Es gibt keinen Ordner gone.', 'There is no folder gone.'],
  ['list_files: a file', list, { path: 'a.ts' }, 'a.ts ist eine Datei, kein Ordner.', 'a.ts is a file, not a folder. Read it with read_file.'],
  ['get_diagnostics: no file', ({ access, editing }) => getDiagnosticsTool(access, editing.diagnostics), { path: 'gone.ts' }, 'Es gibt keine Datei gone.ts.', 'There is no file gone.ts.'],
  ['search_workspace: several lines', search, { query: 'a\nb' }, 'Der Suchtext hat mehrere Zeilen, es kann aber nur nach einzelnen Zeilen gesucht werden.', 'The query has several lines. Search for one line at a time.'],
  ['search_workspace: a line end', search, { query: 'a\\r', isRegex: true }, 'Der Suchtext enthält ein Zeilenende, es kann aber nur nach einzelnen Zeilen gesucht werden.', 'Lines are searched without their ends. Leave \\r out of the query.'],
  ['search_workspace: no pattern', search, { query: '(', isRegex: true }, 'Der Suchtext ist kein gültiger regulärer Ausdruck.', '( is not a valid regular expression: unclosed group. Search with isRegex false for plain text.'],
  ['search_workspace: unavailable', stopped, { query: 'a' }, 'Die Suche konnte nicht ausgeführt werden. Versuchen Sie es erneut.', 'The search ended.'],
  ['search_codebase: broken index', codebase, { query: 'price' }, 'Der Codeindex konnte nicht durchsucht werden.', 'The index is damaged. Use search_workspace instead.'],
  ['get_document_symbols: no file', language('get_document_symbols'), { path: 'gone.ts' }, 'Es gibt keine Datei gone.ts.', 'There is no file gone.ts.'],
  ['find_references: no file', language('find_references'), { path: 'gone.ts', symbolName: 'a' }, 'Es gibt keine Datei gone.ts.', 'There is no file gone.ts.'],
  ['find_references: no text', language('find_references', false), { path: 'image.png', symbolName: 'a' }, 'image.png konnte im Editor nicht als Text geöffnet werden.', 'image.png is no text that the editor can open.'],
  ['find_references: no symbol', language('find_references'), { path: 'a.ts', symbolName: 'zebra' }, 'a.ts: Es gibt kein Symbol zebra.', 'a.ts: There is no zebra in this file. get_document_symbols lists its symbols.'],
  ['find_references: nothing asked', language('find_references'), { path: 'a.ts' }, 'a.ts: Das Modell hat weder ein Symbol noch eine Zeile genannt.', 'a.ts: Give symbolName, or line and character.'],
  ['find_references: no such line', language('find_references'), { path: 'a.ts', line: 9 }, 'a.ts: Zeile 9 ist nicht vorhanden.', 'a.ts: The file has 3 lines.'],
  ['find_references: an empty line', language('find_references'), { path: 'a.ts', line: 2 }, 'a.ts: Zeile 2 enthält kein Symbol.', 'a.ts: Line 2 has no name in it.'],
  ['replace_in_file: no file', replace, { path: 'gone.ts', oldText: 'a', newText: 'b' }, 'Es gibt keine Datei gone.ts.', 'There is no file gone.ts. Use create_file for a new file.'],
  ['replace_in_file: no old text', replace, { path: 'a.ts', oldText: '', newText: 'b' }, 'Das Modell hat den zu ersetzenden Text nicht angegeben.', 'oldText is empty. Give the text to replace, or use write_file for a whole file.'],
  ['replace_in_file: the same text', replace, { path: 'a.ts', oldText: 'one', newText: 'one' }, 'Der neue Text ist mit dem alten Text identisch.', 'oldText and newText are the same, so there is nothing to change.'],
  ['replace_in_file: not found', replace, { path: 'a.ts', oldText: 'zzzzzz', newText: 'b' }, 'Der zu ersetzende Text wurde in a.ts nicht gefunden.', 'oldText was not found in a.ts. Nothing was changed. Nothing in it is like it: read the file again.'],
  ['replace_in_file: several', replace, { path: 'a.ts', oldText: 'same', newText: 'b' }, 'Der zu ersetzende Text kommt in a.ts mehrmals vor.', 'oldText is in a.ts 2 times, at lines 2, 3. Nothing was changed. Give more of the lines around the place, or set replaceAll to true.'],
  ['replace_lines: the end before the start', lines, { path: 'a.ts', startLine: 3, endLine: 2, newText: '' }, 'Die letzte Zeile (2) liegt vor der ersten Zeile (3).', 'endLine (2) is before startLine (3).'],
  ['replace_lines: too far', lines, { path: 'a.ts', startLine: 3, endLine: 9, newText: '' }, 'a.ts enthält nur 3 Zeilen.', 'a.ts has 3 lines; endLine was 9.'],
  ['replace_lines: not read', lines, { path: 'one.ts', startLine: 1, endLine: 1, newText: '' }, 'Das Modell muss one.ts lesen, bevor es Zeilen ersetzt.', 'Nothing was changed: one.ts has to be read first, since its line numbers may be others now.'],
  ['create_file: a file', ({ editing }) => createFileTool(editing), { path: 'a.ts', content: '' }, 'a.ts ist bereits vorhanden, daher wurde nichts geändert.', 'a.ts already exists, so nothing was changed. Read the file, or choose another path.'],
  ['create_file: a folder', ({ editing }) => createFileTool(editing), { path: 'new/', content: '' }, 'new/ ist ein Ordner, keine Datei.', 'new/ names a folder; give the path of a file.'],
  ['apply_patch: no patch', patch, { patch: 'Change it.' }, 'Der Patch konnte nicht gelesen werden.', 'The patch names no file. Write it as'],
  ['apply_patch: no change', patch, update('*** Update File: a.ts', '@@', ' one'), 'Der Patch ändert nichts in a.ts.', 'The patch changes nothing in a.ts: no line begins with + or -. Write it as'],
  ['apply_patch: not found', patch, update('*** Update File: a.ts', '@@', '-zzzzzz', '+b'), 'a.ts: Die zu ändernden Zeilen wurden nicht gefunden.', 'Nothing was changed in any file.\na.ts: its lines are not in the file, and nothing in it is like them. Read the file again.'],
  ['apply_patch: several', patch, update('*** Update File: a.ts', '@@', '-same', '+b'), 'a.ts: Die zu ändernden Zeilen kommen in der Datei mehrmals vor.', 'Nothing was changed in any file.\na.ts: its lines are in the file 2 times, at lines 2, 3. Give more of the lines'],
  ['apply_patch: no anchor', patch, update('*** Update File: a.ts', '@@ zzzzzz', '+b'), 'a.ts: Die zu ändernden Zeilen wurden nicht gefunden.', 'Nothing was changed in any file.\na.ts: The line "zzzzzz" is not in the file exactly once.'],
  ['apply_patch: two problems', patch, update('*** Delete File: gone.ts', '*** Add File: new/', '+a'), 'Es gibt keine Datei gone.ts.\nnew/ ist ein Ordner, keine Datei.', 'Nothing was changed in any file.\nThere is no file gone.ts.\nnew/ names a folder; give the path of a file.'],
  ['apply_patch: a file twice', patch, update('*** Delete File: a.ts', '*** Delete File: a.ts'), 'a.ts kommt im Patch zweimal vor.', 'Nothing was changed in any file.\na.ts is in the patch twice.'],
  ['run_terminal_command: a key press', command, { command: 'ls\u0015' }, 'Der Befehl enthält das Steuerzeichen U+0015 und wurde daher nicht ausgeführt.', 'The command was not run: it contains the control character U+0015. Write it without.'],
  ['run_terminal_command: no folder', command, { command: 'ls', cwd: 'gone' }, 'Es gibt keinen Ordner gone.', 'The command was not run: there is no folder gone.'],
  ['run_terminal_command: too many', command, { command: 'ls', background: true }, 'Im Hintergrund werden bereits 20 Befehle ausgeführt. Brechen Sie einen ab, und versuchen Sie es dann erneut.', 'The command was not run: 20 run in the background already, which is the most there may be.\nterminal-0: npm run dev'],
  ['get_terminal_output: unknown', () => getTerminalOutputTool({ readOutput: async () => undefined, ids: () => [], findCommand: () => undefined }), { id: 'terminal-9' }, 'Es gibt keinen Hintergrundbefehl terminal-9.', 'There is no background command "terminal-9". No command of this chat runs in the background.'],
  ['run_tests: no file', tests, { path: 'gone.ts' }, 'gone.ts ist nicht vorhanden.', 'There is no gone.ts.'],
  ['run_tests: no runner', tests, {}, 'Es wurde kein Testprogramm gefunden. Schreiben Sie im Chat, mit welchem Befehl die Tests ausgeführt werden.', 'No test runner was found. Run the tests with run_terminal_command, or say what they are run with.'],
  ['complete_step: no plan', completeStepTool, { step: 4 }, 'Der Plan hat keinen Schritt 4.', 'There is no step 4: the plan has 0 steps.'],
  ['run_subagent: no report', () => runSubagentTool({ explore: async () => ' ' }), { task: 'Look' }, 'Die Erkundung wurde ohne Bericht beendet.', 'The exploration ended without a report.'],
  ['update_todos: too many', updateTodosTool, { todos: Array.from({ length: 51 }, (_, index) => `todo ${index}`) }, 'Die Liste wurde nicht geändert, weil sie höchstens 50 Einträge enthalten kann.', 'The list was not changed: it has 51 entries, and 50 is the most.'],
  ['load_tools: no tool', () => loadableTools(new ToolRegistry([other('fly')]), new Set()).get('load_tools') ?? never(), { names: ['swim'] }, 'unbekanntes Tool', 'There is no tool swim. There are: fly.'],
];

describe('A failed tool call', () => {
  let bench: ToolBench;
  beforeEach(async () => {
    bench = await ToolBench.start();
    bench.history = { failures: () => 0, hasSeenLines: (path) => path === 'a.ts', hasLineEdits: false };
    await mkdir(bench.file('src'));
    await writeFile(bench.file('a.ts'), 'one\nsame\nsame\n');
    await writeFile(bench.file('one.ts'), 'one\n');
    await writeFile(bench.file('image.png'), Buffer.from([1, 0, 2, 3]));
    setTexts(german, 'de');
  });
  afterEach(async () => {
    setTexts({});
    await bench.stop();
  });

  for (const [title, make, input, reason, english] of failures) {
    it(`tells the user the reason in their language, and the model in English: ${title}`, async () => {
      const { status, content, summary, display } = await bench.attempt(make(bench), input);
      const shown = [status, content.slice(0, english.length), summary, display];
      assert.deepEqual(shown, ['error', english, reason, reason]);
    });
  }
});
