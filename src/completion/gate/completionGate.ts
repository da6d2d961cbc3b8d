import { relative, sep } from 'node:path';
import type { Settings } from '../../config/settings';
import { WorkspacePaths } from '../../services/files/workspacePaths';
import type { WorkspacePort } from '../../services/files/workspacePorts';
import { isKeptBack, IgnoredPaths } from '../../services/search/searchRules';
import type { Clock } from '../../utils/clock';
import { FileSensitivity } from '../../utils/sensitivity/fileSensitivity';

/** Reason why a file is neither completed in nor read. */
export type ClosedBecause = 'untrusted' | 'outside' | 'secret' | 'ignored';

/** Milliseconds for which an answer holds: a `.gitignore` may change. */
const holdsFor = 15_000;

/**
 * Decides which files completions may see: those of a trusted workspace that git does not ignore and that hold no secrets, by the
 * same rules as the agent's tools.
 */
export class CompletionGate {
  private readonly paths: WorkspacePaths;
  private readonly known = new Map<string, { until: number; because: Promise<ClosedBecause | null> }>();

  constructor(
    private readonly workspace: Pick<WorkspacePort, 'folders' | 'isTrusted'>,
    private readonly settings: Pick<Settings, 'getAgentConfig'>,
    private readonly clock: Clock,
  ) {
    this.paths = new WorkspacePaths(workspace);
  }

  /** Returns why a file, by its absolute path, is closed to completions; null for an open one. */
  closedBecause(file: string): Promise<ClosedBecause | null> {
    if (!this.workspace.isTrusted()) return Promise.resolve('untrusted');
    const now = this.clock.now();
    const known = this.known.get(file);
    if (known !== undefined && known.until > now) return known.because;
    const because = this.look(file);
    if (this.known.size > 500) this.known.clear();
    this.known.set(file, { until: now + holdsFor, because });
    return because;
  }

  private async look(file: string): Promise<ClosedBecause | null> {
    try {
      const { names, isOutside, root, real } = await this.paths.locate(file);
      if (isOutside || root === null) return 'outside';
      const sensitivity = new FileSensitivity(this.settings.getAgentConfig().sensitiveFilePatterns);
      if (names.some((name) => sensitivity.isSecret(name))) return 'secret';
      const inside = relative(root, real).split(sep).join('/');
      return new IgnoredPaths(root).isIgnored(inside) || isKeptBack(real, root) ? 'ignored' : null;
    } catch {
      // What cannot be located is not read.
      return 'outside';
    }
  }
}
