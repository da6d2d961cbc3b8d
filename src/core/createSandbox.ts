import { join } from 'node:path';
import type { FileAccess } from '../agent/approvals/fileAccess';
import type { CheckpointedFolders } from '../services/checkpoint/host/checkpointedFolders';
import type { EngineClient } from '../services/checkpoint/host/engineClient';
import type { Restores } from '../services/checkpoint/host/restores';
import { findShell } from '../services/terminal/run/shellOf';
import { Sandbox } from '../services/terminal/sandbox/sandbox';
import { FileSensitivity } from '../utils/sensitivity/fileSensitivity';
import type { CorePorts } from './corePorts';

export interface SandboxStores {
  access: Pick<FileAccess, 'patterns'>;
  checkpointed: () => CheckpointedFolders;
  engine: { restores: Pick<EngineClient['restores'], 'listProblems'> };
  restores: Pick<Restores, 'list'>;
}

/** Maximum number of omitted files to read from a checkpoint for the sandbox. The sandbox itself has a lower limit. */
const maxLeftOut = 2_000;

/** Builds the sandbox for commands. Sandboxed commands can write only where checkpoints before and after commands are enabled. */
export function createSandbox(
  { access, checkpointed, engine, restores }: SandboxStores,
  { storage, settings, terminals, clock }: Pick<CorePorts, 'storage' | 'settings' | 'terminals' | 'clock'>,
): Sandbox {
  // The object stays the same while the patterns are the same, so that the sandbox can cache its results.
  let secrets: { key: string; rules: FileSensitivity } | undefined;
  return new Sandbox({
    storage: storage.directory,
    coveredRoots: () => {
      const { isEnabled, aroundCommands } = settings.getCheckpointConfig();
      return Promise.resolve(isEnabled && aroundCommands ? checkpointed().roots : []);
    },
    leftOut: async (sessionId) => {
      const newest = (await restores.list(sessionId)).at(-1);
      if (newest === undefined) return [];
      const { first } = await engine.restores.listProblems(sessionId, { kind: 'checkpoint', id: newest.id }, maxLeftOut);
      return first.map(({ root, path }) => join(root, path));
    },
    exclude: () => settings.getCheckpointConfig().exclude,
    secrets: async (sessionId) => {
      const patterns = await access.patterns(sessionId ?? '');
      const key = JSON.stringify(patterns);
      if (secrets?.key !== key) secrets = { key, rules: new FileSensitivity(...patterns) };
      return secrets.rules;
    },
    config: () => settings.getSandboxConfig(),
    shell: (signal) => findShell(terminals, clock, signal),
  });
}
