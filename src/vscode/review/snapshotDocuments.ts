import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { SnapshotObjects } from '../../types/checkpoint';
import { AppError } from '../../utils/errors';
import { decodeText } from '../../utils/text/textFile';
import { snapshotScheme as scheme } from './snapshotScheme';

/** Provides earlier states of files as read-only documents for diffs and merges. */
export class SnapshotDocuments {
  private readonly texts = new Map<string, string>();

  /** Creates the provider. `objects` returns undefined while the storage is closed. */
  constructor(private readonly objects: () => SnapshotObjects | undefined) {}

  /** Returns the URI of a stored state. A null hash is a missing file. The name determines the language and the title. */
  of(shown: string, hash: string | null): vscode.Uri {
    return vscode.Uri.from({ scheme, path: `/${shown.replaceAll('\\', '/')}`, query: hash === null ? '' : `hash=${hash}` });
  }

  /**
   * Returns the URI of a stored state with the path of the file. This path is needed because the
   * multi-file diff shows different paths as a rename.
   */
  ofFile(file: string, hash: string | null): vscode.Uri {
    return this.of(vscode.Uri.file(file).path.slice(1), hash);
  }

  /** Returns the URI of a text that is kept until the window closes. */
  ofText(shown: string, text: string): vscode.Uri {
    const key = randomUUID();
    this.texts.set(key, text);
    return vscode.Uri.from({ scheme, path: `/${shown.replaceAll('\\', '/')}`, query: `text=${key}` });
  }

  async readText({ query }: vscode.Uri): Promise<string> {
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
    if (content === undefined) return vscode.l10n.t('Could not show the stored file because the storage is not open.');
    const text = decodeText(Buffer.from(content))?.text;
    return text ?? vscode.l10n.t('This is not a text file and cannot be shown here.');
  }
}
