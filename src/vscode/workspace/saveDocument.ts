import type { Clock } from '../../utils/clock';

/** Delays before retries, in milliseconds. VS Code refuses a save while another save runs or if a busy computer delays it. */
const pauses = [200, 400, 800];

export interface SavableDocument {
  /** Resolves with false if VS Code did not save, and also if it did and the user has typed since. */
  save(): PromiseLike<boolean>;
}

/**
 * Saves a document and returns true if its text is on disk, as VS Code reports or `isSaved` finds. The save is retried up to three times
 * within 1.5 s, with what the user types meanwhile. VS Code refuses to overwrite an external change.
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
