import { mayReveal, type EditServices } from './editing';
import type { AccessTarget } from '../../approvals/fileAccess';
import type { FileDiagnostic } from '../../kernel/ports';
import { newProblemsElsewhere, problemReport, reportElsewhere } from './problemReport';
import type { ToolContext } from '../kernel/tool';

const maxFiles = 20;

export interface RenameWatch {
  /** Returns the problems of the file, and new problems of other files, which may still use the old name. */
  report(): Promise<string[]>;
  dispose(): void;
}

/** Starts to watch problems. Must be called before the file moves. */
export async function watchRename(
  from: AccessTarget,
  to: AccessTarget,
  { access, diagnostics }: EditServices,
  context: Pick<ToolContext, 'sessionId' | 'signal' | 'offers'>,
): Promise<RenameWatch> {
  const { sessionId, signal } = context;
  const old = diagnostics.watch(from.real);
  const moved = diagnostics.watch(to.real);
  const others = async (): Promise<FileDiagnostic[]> =>
    (await diagnostics.diagnostics(null, signal)).filter(({ file }) => file !== from.real && file !== to.real);
  /** Returns the displayed path, or null if the file is outside the workspace or requires approval. */
  const showPath = async (file: string): Promise<string | null> => {
    try {
      const { shown, readReasons } = await access.forReading(file, sessionId);
      return readReasons.length === 0 ? shown : null;
    } catch {
      // Errors are ignored, because the rename itself has succeeded.
      return null;
    }
  };
  const before = await others();
  return {
    report: async () => {
      const [{ before: ofOld }, { after }] = await Promise.all([old.changes(signal), moved.changes(signal)]);
      // The baseline is the list of problems under the old name.
      const own = { before: ofOld, after };
      const fresh = newProblemsElsewhere(before, await others());
      const files = [...new Set(fresh.map(({ file }) => file))].slice(0, maxFiles);
      const shown = new Map(await Promise.all(files.map(async (file) => [file, await showPath(file)] as const)));
      const told = fresh.flatMap((problem) => {
        const name = shown.get(problem.file) ?? null;
        return name === null ? [] : [{ ...problem, shown: name }];
      });
      return [
        ...(mayReveal(from) && mayReveal(to) ? problemReport(to.shown, own, context) : []),
        ...reportElsewhere(told, context),
      ];
    },
    dispose: () => {
      old.dispose();
      moved.dispose();
    },
  };
}
