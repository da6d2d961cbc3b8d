import { mayTell, type EditServices } from './editing';
import type { AccessTarget } from '../../approvals/fileAccess';
import type { FileDiagnostic } from '../../kernel/ports';
import { newProblemsElsewhere, problemReport, reportElsewhere } from './problemReport';
import type { ToolContext } from '../kernel/tool';

const maxFiles = 20;

export interface RenameWatch {
  /** Returns the problems since then: those of the file, and new ones of others, which may refer to it by its old name. */
  report(): Promise<string[]>;
  dispose(): void;
}

/** To be called before a file moves. */
export async function watchRename(
  from: AccessTarget,
  to: AccessTarget,
  { access, diagnostics }: EditServices,
  context: Pick<ToolContext, 'sessionId' | 'signal' | 'offers'>,
): Promise<RenameWatch> {
  const { sessionId, signal } = context;
  const [old, moved] = [diagnostics.watch(from.real), diagnostics.watch(to.real)];
  const others = async (): Promise<FileDiagnostic[]> =>
    (await diagnostics.diagnostics(null, signal)).filter(({ file }) => file !== from.real && file !== to.real);
  /** Null for what is not in the workspace, or is asked about before it is read. */
  const shownOf = async (file: string): Promise<string | null> => {
    try {
      const { shown, readReasons } = await access.forReading(file, sessionId);
      return readReasons.length === 0 ? shown : null;
    } catch {
      // The file has moved all the same.
      return null;
    }
  };
  const before = await others();
  return {
    report: async () => {
      const [{ before: ofOld }, { after }] = await Promise.all([old.changes(signal), moved.changes(signal)]);
      // The same problems as under the old name are no new ones.
      const own = { before: ofOld, after };
      const fresh = newProblemsElsewhere(before, await others());
      const files = [...new Set(fresh.map(({ file }) => file))].slice(0, maxFiles);
      const shown = new Map(await Promise.all(files.map(async (file) => [file, await shownOf(file)] as const)));
      const told = fresh.flatMap((problem) => {
        const name = shown.get(problem.file) ?? null;
        return name === null ? [] : [{ ...problem, shown: name }];
      });
      return [...(mayTell(from) && mayTell(to) ? problemReport(to.shown, own, context) : []), ...reportElsewhere(told, context)];
    },
    dispose: () => {
      old.dispose();
      moved.dispose();
    },
  };
}
