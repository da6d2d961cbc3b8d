import type { EntryData } from '../../../protocol/entries';
import type { ChangedHashes } from '../../../services/files/fileChanges';
import type { ReadFileState, TextState } from '../../../services/files/fileState';
import { rebasedText } from '../../../utils/text/rebasedText';
import type { AccessTarget } from '../../approvals/fileAccess';
import type { ToolContext } from '../kernel/tool';
import type { EditServices } from './editing';
import type { Slip } from './healing/reading';

/** File of a patch with its planned change. */
export interface PatchedFile {
  operation: EntryData<'file_edit'>['operation'];
  target: AccessTarget;
  /** Target of a rename. */
  to: AccessTarget | undefined;
  file: ReadFileState | TextState | undefined;
  before: string;
  after: string;
  /** Copying errors in the patch that were fixed. */
  slips?: readonly Slip[];
}

/** File that a patch has changed, with its text directly before and after. */
export interface MadeChange {
  one: PatchedFile;
  hashes: ChangedHashes;
  before: string;
  after: string;
}

/** Changes a file as planned. Throws `FileError` or a system error. */
export async function changePlanned(one: PatchedFile, { changes }: EditServices, context: ToolContext): Promise<MadeChange> {
  const { operation, target, to, file, before, after } = one;
  if (file === undefined) return { one, hashes: await changes.create(target, after, context), before, after };
  if (operation === 'delete') return { one, hashes: await changes.remove(file, context), before, after };
  if (to === undefined) {
    const written = await changes.write(file as TextState, after, context);
    return { one, hashes: written, before: written.before, after: written.text };
  }
  const hashes = await changes.rename(file, to, context);
  if (after === before) return { one, hashes, before, after };
  const moved = await changes.write(await changes.readText(to), after, context);
  return {
    one,
    before: moved.before,
    after: moved.text,
    hashes: { beforeHash: hashes.beforeHash, afterHash: moved.afterHash },
  };
}

/** Reverts files, but keeps lines that someone else has changed since. Returns the files that could not be reverted. */
export async function revertPlanned(
  done: readonly MadeChange[],
  { changes }: EditServices,
  context: ToolContext,
): Promise<string[]> {
  const left: string[] = [];
  // Reverting must also work after Stop.
  const origin = { ...context, signal: new AbortController().signal, beginWriting: () => undefined };
  for (const { one, before, after } of done) {
    const { operation, target, to, file } = one;
    try {
      if (operation === 'create') await changes.remove(await changes.readFile(target), origin);
      else if (operation === 'delete') await changes.create(target, file?.bytes ?? before, origin);
      else {
        if (to !== undefined) await changes.rename(await changes.readFile(to), target, origin);
        if (after === before) continue;
        const now = await changes.readText(target);
        const reverted = rebasedText(after, before, now.text);
        if (reverted === null) left.push(target.shown);
        else await changes.write(now, reverted, origin, before);
      }
    } catch {
      left.push((to ?? target).shown);
    }
  }
  return left;
}
