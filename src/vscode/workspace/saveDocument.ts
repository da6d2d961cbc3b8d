import type { Clock } from '../../utils/clock';

/**
 * Delays before retries, in milliseconds. VS Code rejects a save while another save is
 * running or if a busy computer delays it.
 */
const pauses = [200, 400, 800];

export interface SavableDocument {
  /** Resolves with false if VS Code did not save, and also if it saved but the user has typed since then. */
  save(): PromiseLike<boolean>;
}

/**
 * Saves a document. Returns true if its text is on disk, as reported by VS Code or by `isSaved`. Retries up to three times within
 * 1.5 s and includes text that the user types in the meantime. VS Code does not overwrite an external change.
 */
export async function saveDocument(
  document: SavableDocument,
  isSaved: () => Promise<boolean>,
  clock: Pick<Clock, 'sleep'>,
): Promise<boolean> {
  for (const pause of [...pauses, null]) {
    if ((await document.save()) || (await isSaved())) return true;
    if (pause === null) return false;
    await clock.sleep(pause);
    if (await isSaved()) return true;
  }
  return false;
}
