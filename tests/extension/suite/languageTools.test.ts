import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';
import { FileAccess } from '../../../src/agent/approvals/fileAccess';
import { languageTools } from '../../../src/agent/tools/language/languageTools';
import type { ToolContext } from '../../../src/agent/tools/kernel/tool';
import { Settings } from '../../../src/config/settings';
import { WorkspacePaths } from '../../../src/services/files/workspacePaths';
import { systemClock } from '../../../src/utils/clock';
import { EditorLanguage } from '../../../src/vscode/workspace/editorLanguage';

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

describe('Tools that ask the language server of a real editor', function () {
  this.timeout(120_000);
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

  /** The language server reads the project after it has read the open file; until then it knows fewer uses. */
  async function readAll(): Promise<void> {
    for (let uses = ''; !uses.includes('use.ts'); uses = await run('find_references', { path: 'shapes.ts', symbolName: 'größe' }))
      await pause(100);
  }

  it('finds definition, uses and implementations by name', async () => {
    await readAll();
    assert.match(await run('find_definition', { path: 'use.ts', symbolName: 'größe' }), /^shapes\.ts:7: export function größe/);
    const uses = (await run('find_references', { path: 'shapes.ts', symbolName: 'größe' })).split('\n');
    assert.deepEqual(
      uses.map((line) => line.split(': ')[0]),
      ['shapes.ts:7', 'use.ts:1', 'use.ts:2', 'use.ts:2'],
    );
    assert.match(
      await run('find_implementations', { path: 'shapes.ts', symbolName: 'Shape' }),
      /shapes\.ts:2: export class Square/,
    );
  });

  it('tells outline, type, calls and relatives', async () => {
    assert.match(await run('get_document_symbols', { path: 'shapes.ts' }), /2-6: class Square\n(.*\n)*? {2}5: method area/);
    assert.match(await run('get_hover_info', { path: 'shapes.ts', line: 5, character: 3 }), /Its side squared/);
    const calls = await run('get_call_hierarchy', { path: 'shapes.ts', symbolName: 'größe' });
    assert.match(calls, /Called by:\n {2}total {2}use\.ts:2/);
    assert.match(calls, /Calls:\n {2}area/);
    assert.match(await run('find_symbol', { query: 'größe' }), /function größe\(\) {2}shapes\.ts:7/);
  });

  it('says which of several is meant, and that a name is not there', async () => {
    const second = await run('find_definition', { path: 'use.ts', symbolName: 'größe', line: 2 });
    assert.match(second, /shapes\.ts:7: export function größe/);
    const many = Array.from({ length: 60 }, (_unused, index) => `export const repeated${index} = () => repeatedName;`);
    await writeFile(path.join(folder, 'many.ts'), ['export const repeatedName = 1;', ...many, ''].join('\n'));
    const uses = await run('find_references', { path: 'many.ts', symbolName: 'repeatedName' });
    assert.match(uses, /^many\.ts:1: export const repeatedName/);
    assert.match(uses, /61/);
    assert.match(await run('find_definition', { path: 'use.ts', symbolName: 'nowhereAtAll' }), /nowhereAtAll/);
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
      assert.match(await run('find_definition', { path: 'steps.toy', symbolName: 'wash', line: 2 }), /^steps\.toy:1: step wash/);
      assert.match(
        await run('find_references', { path: 'steps.toy', symbolName: 'wash' }),
        /steps\.toy:1: step wash\nsteps\.toy:2: step dry after wash/,
      );
    } finally {
      server.dispose();
    }
  });

  it('reads what is typed and not saved, and a rename just made', async () => {
    const document = await vscode.workspace.openTextDocument(path.join(folder, 'use.ts'));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(2, 0), 'export const later = größe(new Square(4));\n'));
    const uses = await run('find_references', { path: 'shapes.ts', symbolName: 'größe' });
    assert.match(uses, /use\.ts:3: export const later/);
    const uri = vscode.Uri.file(path.join(folder, 'shapes.ts'));
    const rename = await vscode.commands.executeCommand<vscode.WorkspaceEdit>(
      'vscode.executeDocumentRenameProvider',
      uri,
      new vscode.Position(6, 17),
      'extent',
    );
    assert.ok(await vscode.workspace.applyEdit(rename));
    assert.match(
      await run('find_references', { path: 'shapes.ts', symbolName: 'extent' }),
      /use\.ts:3: export const later = extent/,
    );
  });

  it('says what to use where no extension knows the language', async () => {
    await writeFile(path.join(folder, 'notes.zzz'), 'alpha beta\n');
    assert.match(await run('get_document_symbols', { path: 'notes.zzz' }), /use read_file or search_workspace/);
    assert.match(await run('find_references', { path: 'notes.zzz', symbolName: 'alpha' }), /use search_workspace/);
  });
});
