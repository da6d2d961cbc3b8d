import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { SnapshotObjects } from '../../types/checkpoint';
import { AppError } from '../../utils/errors';
import { decodeText } from '../../utils/text/textFile';
import { snapshotScheme as scheme } from './snapshotScheme';

/** Earlier states of files as read-only documents, for diffs and merges. */
export class SnapshotDocuments {
  private readonly texts = new Map<string, string>();

  /** `objects` is undefined while the storage is not open. */
  constructor(private readonly objects: () => SnapshotObjects | undefined) {}

  /** A state in the object store; null is a file that is not there. The name gives the language and the title. */
  of(shown: string, hash: string | null): vscode.Uri {
    return vscode.Uri.from({ scheme, path: `/${shown.replaceAll('\\', '/')}`, query: hash === null ? '' : `hash=${hash}` });
  }

  /** A state of a file under the path of the file: the multi-file diff shows two paths as a renamed file. */
  ofFile(file: string, hash: string | null): vscode.Uri {
    return this.of(vscode.Uri.file(file).path.slice(1), hash);
  }

  /** A text that is in no store, for as long as the window lives. */
  ofText(shown: string, text: string): vscode.Uri {
    const key = randomUUID();
    this.texts.set(key, text);
    return vscode.Uri.from({ scheme, path: `/${shown.replaceAll('\\', '/')}`, query: `text=${key}` });
  }

  async textOf({ query }: vscode.Uri): Promise<string> {
    const [kind, key = ''] = query.split('=');
    if (kind === 'text') return this.texts.get(key) ?? '';
    if (kind !== 'hash') return '';
    const content = await this.objects()
      ?.get(key)
      .catch((error: unknown) => {
        if (error instanceof AppError) return error.userMessage;
        throw error;
      });
    if (typeof content === 'string') return content;
    if (content === undefined) return vscode.l10n.t('The storage is not open, so this cannot be shown.');
    const text = decodeText(Buffer.from(content))?.text;
    return text ?? vscode.l10n.t('This is not text and cannot be shown here.');
  }
}
