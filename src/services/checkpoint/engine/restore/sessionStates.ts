import path from 'node:path';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import { LeftOutFolders } from '../manifests/leftOutFolders';
import type { ManifestReader } from '../manifests/manifestReader';
import { isNameOnly, isSameContent, type FileState } from '../scan/scannedFile';

/** Names of excluded files that disappeared while a command ran. */
export interface CommandLoss {
  /** Start of the command, in milliseconds since the epoch. */
  beganAt: number;
  /** Names with their root numbers. A name may still exist if only the way of recording it has changed. */
  names: readonly { root: number; name: string }[];
}

/** SQL condition: true if a row was created after the target, false if there is no target. */
const isLater = 'rows.created_at >= (SELECT created_at FROM checkpoints WHERE id = :target)';

type KnownState = Pick<FileState, 'kind' | 'hash'> & { mode: number | null };

/** Change by a session between two contents of a file. */
interface ContentChange {
  from: KnownState;
  /** Hash of the content after the change. */
  to: string;
}

/** States of files after changes by a session's tools, commands and restores. */
export class SessionStates {
  private readonly states = new Map<string, Set<string>>();
  private readonly byRealPath = new Map<string, Set<string>>();
  /** Changes after the target, by file. */
  private readonly changes = new Map<string, ContentChange[]>();
  /** True if an excluded file disappeared while a command ran. */
  hasLostLeftOut = false;
  /** Names of excluded files that disappeared while a command ran, by the file states after the command. */
  private readonly losses = new Map<string, CommandLoss>();

  constructor(
    private readonly database: DatabaseSync,
    private readonly manifests: ManifestReader,
    sessionId: string,
    /** Checkpoint to restore, or checkpoints that limit the commands and restores to include. */
    scope: { target: string } | { after: string; before: string },
  ) {
    const target = 'target' in scope ? scope.target : null;
    this.addTouched(sessionId, target);
    this.addUndoneHunks(sessionId, target);
    this.addPairs(sessionId, scope);
    // Skip this for a restore, because an undo may have restored the user's own edits.
    if ('after' in scope) this.addUndone(sessionId);
  }

  has(rootId: number, relative: string, root: string, state: KnownState | null): boolean {
    const left = this.byRealPath.get(path.join(root, relative));
    return (
      (this.states.get(`${rootId}:${relative}`)?.has(createKey(state)) ?? false) ||
      (left?.has(createKey(state)) ?? false) ||
      (state !== null && (left?.has(createKey({ ...state, mode: null })) ?? false))
    );
  }

  /**
   * Returns the states of a file that others caused and that a restore to the target would discard. If the session did not cause
   * `from`, returns only `from`. Otherwise, returns the states on which the session's changes after the target are based.
   * Excludes the target's state `to` and states that the session caused.
   */
  foreignStates(
    rootId: number,
    relative: string,
    root: string,
    { from, to }: Record<'from' | 'to', FileState | null>,
  ): (KnownState | null)[] {
    if (!this.has(rootId, relative, root, from)) return [from];
    const keys = [`${rootId}:${relative}`, path.join(root, relative)];
    const changes = keys.flatMap((key) => this.changes.get(key) ?? []);
    const foreign: KnownState[] = [];
    const reached = new Set([from?.hash]);
    // Iterating over a set also visits values that are added during the loop.
    for (const hash of reached) {
      for (const { from: earlier } of changes.filter((change) => change.to === hash)) {
        if (earlier.hash === to?.hash || reached.has(earlier.hash)) continue;
        reached.add(earlier.hash);
        if (!this.has(rootId, relative, root, earlier)) foreign.push(earlier);
      }
    }
    return foreign;
  }

  /** Returns the excluded names that disappeared during the command that caused this file state, or null. */
  lossWith(rootId: number, relative: string, state: FileState): CommandLoss | null {
    return this.losses.get(`${rootId}:${relative} ${createKey(state)}`) ?? null;
  }

  /** Returns true if one of the session's tools caused this file state. */
  isByTool(relative: string, root: string, state: FileState): boolean {
    const left = this.byRealPath.get(path.join(root, relative));
    return left !== undefined && (left.has(createKey(state)) || left.has(createKey({ ...state, mode: null })));
  }

  /**
   * Adds the changes between the checkpoints around each command and restore, if both still exist. A file that was excluded
   * before already existed, so its later appearance is not the session's change. A restore can also reapply the user's own edits.
   * If the restored checkpoint is newer than the target, or the restore was an undo, adds only states that the session caused
   * earlier. If the plan reverts that restore, adds all its states. The target is then the checkpoint before it.
   */
  private addPairs(sessionId: string, scope: { target: string } | { after: string; before: string }): void {
    const pairs = this.database
      .prepare(
        `SELECT b.id, b.created_at AS began_at, a.id AS after_id, b.manifest_id AS before, a.manifest_id AS after,
           (a.kind = 'command_after' AND b.id >= :target) AS is_later_command,
           (a.kind = 'restore_after' AND b.id IS NOT :target AND NOT EXISTS (SELECT 1 FROM operations WHERE session_id = :sessionId AND data ->> 'beforeId' = b.id
             AND data ->> 'undoes' IS NULL AND (:target IS NULL OR data ->> 'checkpointId' <= :target))) AS may_be_by_hand
         FROM checkpoints a JOIN checkpoints b ON b.id = a.parent_id
         WHERE a.session_id = :sessionId AND (a.kind, b.kind) IN (VALUES ('command_after', 'command_before'), ('restore_after', 'restore_before'))
         AND a.manifest_id IS NOT NULL AND b.manifest_id IS NOT NULL AND a.manifest_id <> b.manifest_id
         AND (:after IS NULL OR b.id > :after AND a.id < :before) ORDER BY a.id`,
      )
      .all({ sessionId, target: null, after: null, before: null, ...scope });
    for (const { id, began_at: beganAt, after_id: afterId, before, after, ...row } of pairs) {
      const from = { checkpointId: String(id), manifestId: Number(before) };
      const to = { checkpointId: String(afterId), manifestId: Number(after) };
      let folders: LeftOutFolders | null = null;
      const roots = row.may_be_by_hand === 1 ? this.manifests.rootPaths() : null;
      const isInLeftOut = (rootId: number, relative: string) =>
        (folders ??= new LeftOutFolders(this.manifests.lookup(Number(before)))).holds(rootId, relative);
      const pair = this.manifests.pairs.of(from, to);
      const names = pair.flatMap(([root, name, was, state]) => (isNameOnly(was) && state === null ? [{ root, name }] : []));
      const loss = { beganAt: Number(beganAt), names };
      this.hasLostLeftOut ||= names.length > 0;
      for (const [rootId, relative, was, state] of pair) {
        if (isNameOnly(state) || isSameContent(was, state)) continue;
        if (roots !== null && !this.has(rootId, relative, roots.get(rootId) ?? '', state)) continue;
        const mayHaveBeen = () => isNameOnly(was) || (was === null && isInLeftOut(rootId, relative));
        if (state !== null && mayHaveBeen() && !this.wasAbsent(String(id), rootId, relative)) continue;
        note(this.states, `${rootId}:${relative}`, createKey(state));
        if (row.is_later_command === 1) this.noteChange(`${rootId}:${relative}`, was, state?.hash ?? null);
        if (names.length > 0 && state !== null) this.losses.set(`${rootId}:${relative} ${createKey(state)}`, loss);
      }
    }
  }

  /** Returns true if the file was checked after the checkpoint and before its creation, and did not exist. */
  private wasAbsent(checkpointId: string, rootId: number, relative: string): boolean {
    const find = this.database.prepare(
      'SELECT 1 FROM staged_files WHERE checkpoint_id = ? AND root_id = ? AND path = ? AND kind = 0',
    );
    return find.get(checkpointId, rootId, relative) !== undefined;
  }

  private addTouched(sessionId: string, target: string | null): void {
    const touched = this.database
      .prepare(
        `SELECT path, left_state, left_mode, l.hash, f.hash AS from_hash, mode AS from_mode, ${isLater} AS is_later
         FROM file_snapshots AS rows LEFT JOIN snapshot_objects AS l ON l.id = left_object_id
         LEFT JOIN snapshot_objects AS f ON f.id = object_id
         WHERE session_id = :sessionId AND left_state <> 'unknown'`,
      )
      .all({ sessionId, target });
    for (const { path: real, left_state: left, left_mode: mode, hash, ...row } of touched) {
      if (left === 'gone') note(this.byRealPath, String(real), createKey(null));
      else if (hash !== null) this.noteFile(String(real), String(hash), mode);
      if (row.is_later === 1 && row.from_hash !== null)
        this.noteChange(String(real), fileState(String(row.from_hash), row.from_mode), hash === null ? null : String(hash));
    }
  }

  /** Adds the results of hunk undos in files that were in a state caused by the session. */
  private addUndoneHunks(sessionId: string, target: string | null): void {
    const answers = this.database
      .prepare(
        `SELECT path, f.hash AS from_hash, from_mode, t.hash AS to_hash, to_mode, ${isLater} AS is_later FROM hunk_answers AS rows
         JOIN file_snapshots ON file_snapshots.id = snapshot_id
         JOIN snapshot_objects AS f ON f.id = from_object_id JOIN snapshot_objects AS t ON t.id = to_object_id
         WHERE rows.session_id = :sessionId AND action = 'undo' ORDER BY rows.id`,
      )
      .all({ sessionId, target });
    for (const { path: real, from_hash: from, from_mode: fromMode, to_hash: to, to_mode: toMode, ...row } of answers) {
      if (row.is_later === 1) this.noteChange(String(real), fileState(String(from), fromMode), String(to));
      const left = this.byRealPath.get(String(real));
      const names = [fromMode, null].map((mode) => fileName(String(from), mode));
      if (names.some((name) => left?.has(name))) this.noteFile(String(real), String(to), toMode);
    }
  }

  /** Adds the states that undos restored. */
  private addUndone(sessionId: string): void {
    const undone = this.database
      .prepare(
        `SELECT path, mode, hash FROM file_snapshots LEFT JOIN snapshot_objects ON snapshot_objects.id = object_id
         WHERE session_id = ? AND status = 'undone'`,
      )
      .all(sessionId);
    for (const { path: real, mode, hash } of undone) {
      if (hash === null) note(this.byRealPath, String(real), createKey(null));
      else this.noteFile(String(real), String(hash), mode);
    }
  }

  private noteChange(file: string, from: KnownState | null, to: string | null): void {
    if (from?.hash == null || to === null || from.hash === to) return;
    const change = { from, to };
    const known = this.changes.get(file);
    if (known === undefined) this.changes.set(file, [change]);
    else known.push(change);
  }

  private noteFile(real: string, hash: string, mode: unknown): void {
    note(this.byRealPath, real, fileName(hash, mode));
  }
}

/** Returns the state of a file as recorded by a scan. */
function fileState(hash: string, mode: unknown): KnownState {
  return { kind: 1, mode: mode === null ? null : Number(mode) & 0o777, hash };
}

function fileName(hash: string, mode: unknown): string {
  return createKey(fileState(hash, mode));
}

/** Returns a key that distinguishes states in the same way as `isSameContent`. If `mode` is null, it is unknown. */
function createKey(state: KnownState | null): string {
  return state === null ? 'none' : `${state.kind} ${state.mode} ${state.hash}`;
}

function note(states: Map<string, Set<string>>, key: string, name: string): void {
  const known = states.get(key);
  if (known === undefined) states.set(key, new Set([name]));
  else known.add(name);
}
