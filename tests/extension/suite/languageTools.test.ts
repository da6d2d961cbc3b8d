import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { FileAccess } from '../../../src/agent/approvals/fileAccess';
import { languageTools } from '../../../src/agent/tools/language/languageTools';
import type { ToolContext } from '../../../src/agent/tools/kernel/tool';
import { Settings } from '../../../src/config/settings';
import { WorkspacePaths } from '../../../src/services/files/workspacePaths';
import { systemClock } from '../../../src/utils/clock';
import { EditorLanguage } from '../../../src/vscode/workspace/editorLanguage';
import { eventually } from '../../support/until';

const shapes = `export interface Shape { area(): number }
export class Square implements Shape {
  constructor(private readonly side: number) {}
  /** Its side squared. */
  area(): number { return this.side ** 2; }
}
export function größe(shape: Shape): number { return shape.area(); }
`;
const use = `import { größe, Square } from './shapes';
export function total(): number { return größe(new Square(2)) + größe(new Square(3)); }
`;

describe('Tools that ask the language server of a real editor', () => {
  let folder: string;
  let access: FileAccess;

  before(async () => {
    folder = mkdtempSync(path.join(realpathSync(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? ''), 'language-'));
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      '{"compilerOptions":{"strict":true,"target":"es2022"},"include":["*.ts"]}',
    );
    await writeFile(path.join(folder, 'shapes.ts'), shapes);
    await writeFile(path.join(folder, 'use.ts'), use);
    const paths = new WorkspacePaths({ folders: () => [{ name: 'language', path: folder }] });
    access = new FileAccess(paths, new Settings({ get: () => undefined }, () => undefined), { get: async () => undefined });
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(folder, { recursive: true, force: true });
  });

  async function run(name: string, input: Record<string, unknown>): Promise<string> {
    const tool = languageTools({ access, language: new EditorLanguage(systemClock) }).find((one) => one.name === name);
    const prepared = tool?.prepare(input);
    assert.ok(prepared?.isValid);
    const context = { sessionId: 'session', signal: new AbortController().signal, approve: async () => false };
    return (await prepared.run(context as unknown as ToolContext)).content;
  }

  /**
   * Retries until the result matches. The language server reads the open file first and the project later, so early results are incomplete.
   */
  function untilSaid(expected: RegExp, name: string, input: Record<string, unknown>): Promise<string> {
    return eventually(async () => {
      const said = await run(name, input);
      assert.match(said, expected);
      return said;
    });
  }

  it('finds definition, uses and implementations by name', async () => {
    await eventually(async () => {
      const uses = (await run('find_references', { path: 'shapes.ts', symbolName: 'größe' })).split('\n');
      assert.deepEqual(
        uses.map((line) => line.split(': ')[0]),
        ['shapes.ts:7', 'use.ts:1', 'use.ts:2', 'use.ts:2'],
      );
    });
    const definition = { path: 'use.ts', symbolName: 'größe' };
    await untilSaid(/^shapes\.ts:7: export function größe/, 'find_definition', definition);
    await untilSaid(/shapes\.ts:2: export class Square/, 'find_implementations', { path: 'shapes.ts', symbolName: 'Shape' });
  });

  it('tells outline, type, calls and relatives', async () => {
    await untilSaid(/2-6: class Square\n(.*\n)*? {2}5: method area/, 'get_document_symbols', { path: 'shapes.ts' });
    await untilSaid(/Its side squared/, 'get_hover_info', { path: 'shapes.ts', line: 5, character: 3 });
    const callee = { path: 'shapes.ts', symbolName: 'größe' };
    await untilSaid(/Called by:\n {2}total {2}use\.ts:2/, 'get_call_hierarchy', callee);
    await untilSaid(/Calls:\n {2}area/, 'get_call_hierarchy', callee);
    await untilSaid(/function größe\(\) {2}shapes\.ts:7/, 'find_symbol', { query: 'größe' });
  });

  it('says which of several is meant, and that a name is not there', async () => {
    const second = { path: 'use.ts', symbolName: 'größe', line: 2 };
    await untilSaid(/shapes\.ts:7: export function größe/, 'find_definition', second);
    const many = Array.from({ length: 60 }, (_unused, index) => `export const repeated${index} = () => repeatedName;`);
    await writeFile(path.join(folder, 'many.ts'), ['export const repeatedName = 1;', ...many, ''].join('\n'));
    const uses = await untilSaid(/61/, 'find_references', { path: 'many.ts', symbolName: 'repeatedName' });
    assert.match(uses, /^many\.ts:1: export const repeatedName/);
    await untilSaid(/nowhereAtAll/, 'find_definition', { path: 'use.ts', symbolName: 'nowhereAtAll' });
  });

  it('asks whatever server knows another language', async () => {
    const file = path.join(folder, 'steps.toy');
    await writeFile(file, 'step wash\nstep dry after wash\n');
    const selector = { pattern: '**/*.toy' };
    const at = (line: number, character: number, length: number) =>
      new vscode.Location(vscode.Uri.file(file), new vscode.Range(line, character, line, character + length));
    const server = vscode.Disposable.from(
      vscode.languages.registerDefinitionProvider(selector, { provideDefinition: () => at(0, 5, 4) }),
      vscode.languages.registerReferenceProvider(selector, { provideReferences: () => [at(0, 5, 4), at(1, 15, 4)] }),
    );
    try {
      await untilSaid(/^steps\.toy:1: step wash/, 'find_definition', { path: 'steps.toy', symbolName: 'wash', line: 2 });
      const both = /steps\.toy:1: step wash\nsteps\.toy:2: step dry after wash/;
      await untilSaid(both, 'find_references', { path: 'steps.toy', symbolName: 'wash' });
    } finally {
      server.dispose();
    }
  });

  it('reads what is typed and not saved, and a rename just made', async () => {
    const document = await vscode.workspace.openTextDocument(path.join(folder, 'use.ts'));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(2, 0), 'export const later = größe(new Square(4));\n'));
    await untilSaid(/use\.ts:3: export const later/, 'find_references', { path: 'shapes.ts', symbolName: 'größe' });
    const uri = vscode.Uri.file(path.join(folder, 'shapes.ts'));
    const rename = await vscode.commands.executeCommand<vscode.WorkspaceEdit>(
      'vscode.executeDocumentRenameProvider',
      uri,
      new vscode.Position(6, 17),
      'extent',
    );
    assert.ok(await vscode.workspace.applyEdit(rename));
    await untilSaid(/use\.ts:3: export const later = extent/, 'find_references', { path: 'shapes.ts', symbolName: 'extent' });
  });

  it('says what to use where no extension knows the language', async () => {
    await writeFile(path.join(folder, 'notes.zzz'), 'alpha beta\n');
    await untilSaid(/use read_file or search_workspace/, 'get_document_symbols', { path: 'notes.zzz' });
    await untilSaid(/use search_workspace/, 'find_references', { path: 'notes.zzz', symbolName: 'alpha' });
  });
});
