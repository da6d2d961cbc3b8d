import type { Clock } from '../../utils/clock';

/** Milliseconds to wait before each further try. The editor refuses a save while another one runs and when a busy machine makes it late. */
const pauses = [200, 400, 800];

/** Part of an editor document that saving needs. */
export interface SavableDocument {
  getText(): string;
  /** False if the editor did not save it. */
  save(): PromiseLike<boolean>;
}

/**
 * Saves a document and tells whether its text is on the disk. The editor's word that it could not save is checked against the disk, and the
 * save is tried again up to three times within 1.5 s, as long as the document holds the same text. The editor refuses each try where the file has
 * changed on the disk, so no try overwrites the change of somebody else.
 */
export async function saveDocument(
  document: SavableDocument,
  isOnDisk: (text: string) => Promise<boolean>,
  clock: Pick<Clock, 'sleep'>,
): Promise<boolean> {
  const text = document.getText();
  for (const pause of [...pauses, null]) {
    if (await document.save()) return true;
    // Participants of the save, such as formatters, may have changed the text before the save failed.
    if (await isOnDisk(document.getText())) return true;
    if (pause === null || document.getText() !== text) return false;
    await clock.sleep(pause);
    if (await isOnDisk(document.getText())) return true;
  }
  return false;
}
