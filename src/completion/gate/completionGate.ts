import { relative, sep } from 'node:path';
import type { Settings } from '../../config/settings';
import { WorkspacePaths } from '../../services/files/workspacePaths';
import type { WorkspacePort } from '../../services/files/workspacePorts';
import { isLocalOnly, IgnoredPaths } from '../../services/search/searchRules';
import type { Clock } from '../../utils/clock';
import { FileSensitivity } from '../../utils/sensitivity/fileSensitivity';

/** Reason why a file is excluded from suggestions and their context. */
export type ExclusionReason = 'untrusted' | 'outside' | 'secret' | 'ignored';

/** Milliseconds to cache a result. The time is short because a `.gitignore` may change. */
const validMs = 15_000;

/**
 * Decides which files suggestions may read. A file must be in a trusted workspace and must not be ignored by Git. It must not
 * contain secrets, according to the same rules as for the agent tools.
 */
export class CompletionGate {
  private readonly paths: WorkspacePaths;
  private readonly known = new Map<string, { until: number; because: Promise<ExclusionReason | null> }>();

  constructor(
    private readonly workspace: Pick<WorkspacePort, 'folders' | 'isTrusted'>,
    private readonly settings: Pick<Settings, 'getAgentConfig'>,
    private readonly clock: Clock,
  ) {
    this.paths = new WorkspacePaths(workspace);
  }

  /** Returns the reason why suggestions may not read a file, given by its absolute path. Returns null if they may read it. */
  exclusionReason(file: string): Promise<ExclusionReason | null> {
    if (!this.workspace.isTrusted()) return Promise.resolve('untrusted');
    const now = this.clock.now();
    const known = this.known.get(file);
    if (known !== undefined && known.until > now) return known.because;
    const because = this.look(file);
    if (this.known.size > 500) this.known.clear();
    this.known.set(file, { until: now + validMs, because });
    return because;
  }

  private async look(file: string): Promise<ExclusionReason | null> {
    try {
      const { names, isOutside, root, real } = await this.paths.locate(file);
      if (isOutside || root === null) return 'outside';
      const sensitivity = new FileSensitivity(this.settings.getAgentConfig().sensitiveFilePatterns);
      if (names.some((name) => sensitivity.isSecret(name))) return 'secret';
      const inside = relative(root, real).split(sep).join('/');
      return new IgnoredPaths(root).isIgnored(inside) || isLocalOnly(real, root) ? 'ignored' : null;
    } catch {
      // A file that cannot be located is not read.
      return 'outside';
    }
  }
}
