import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { FileChanges } from '../../../../src/services/files/fileChanges';
import { noTouchListener } from '../../../../src/services/files/fileTouch';
import type { ReplacedText, TextEdit } from '../../../../src/services/files/workspacePorts';
import { noEditors } from '../support/editorDoubles';

/**
 * `editingInEditor <folder> <text>`: the extension's side of an edit to `a.txt`, which is open in an editor with `text`. The parent process
 * plays the editor: it receives the requests to replace and save, and outlives this process.
 */
async function main(folder: string, held: string): Promise<void> {
  const file = path.join(folder, 'a.txt');
  const document = {
    text: held,
    isDirty: true,
    encoding: 'utf8',
    lacking: () => Promise.resolve(undefined),
    bytes: async () => Buffer.from(held),
    replace: (edit: TextEdit) =>
      new Promise<ReplacedText>((resolve) => {
        const after = edit(held) ?? held;
        process.once('message', () => resolve({ before: held, after }));
        process.send?.(after);
      }),
  };
  const changes = new FileChanges(
    { ...noEditors, get: (name) => (name === file ? document : undefined) },
    { ...noTouchListener, beforeTouch: async ({ before }) => appendFileSync(path.join(folder, '..', 'kept'), before ?? '') },
  );
  const origin = { sessionId: 's', callId: 'c', signal: new AbortController().signal, beginWriting: () => undefined };
  const state = await changes.readText({ real: file, shown: 'a.txt' });
  await changes.write(state, held.replaceAll('a', 'b'), origin);
  process.send?.('done');
}

void main(process.argv[2] ?? '', process.argv[3] ?? '');
