import type { Clock } from '../../utils/clock';

/** Delays before retries, in milliseconds. VS Code refuses a save while another save runs or if a busy computer delays it. */
const pauses = [200, 400, 800];

export interface SavableDocument {
  getText(): string;
  /** Resolves with false if VS Code did not save. */
  save(): PromiseLike<boolean>;
}

/**
 * Saves a document and returns true if its text is on disk. Failures reported by VS Code are checked against the disk. The save is retried
 * up to three times within 1.5 s, with what the person types meanwhile. VS Code refuses to overwrite an external change.
 */
export async function saveDocument(
  document: SavableDocument,
  isOnDisk: (text: string) => Promise<boolean>,
  clock: Pick<Clock, 'sleep'>,
): Promise<boolean> {
  for (const pause of [...pauses, null]) {
    if (await document.save()) return true;
    // Save participants, such as formatters, may have changed the text before the save failed.
    if (await isOnDisk(document.getText())) return true;
    if (pause === null) return false;
    await clock.sleep(pause);
    if (await isOnDisk(document.getText())) return true;
  }
  return false;
}
