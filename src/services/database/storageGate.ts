import type { StorageAction, StorageState } from '../../protocol/webviewEvents';
import type { Clock } from '../../utils/clock';
import type { Disposable } from '../../utils/disposable';
import { Emitter } from '../../utils/emitter';
import { AppError } from '../../utils/errors';
import { t } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import { withTimeout } from '../../utils/withTimeout';
import { isClearingAnnounced, onClearing } from './upkeep/clearingNotice';
import { StorageError } from './sqlite/storageError';

export interface OpenStorage {
  directory: string;
  /** True if the damaged database was renamed, so that the new database must start empty. */
  isFresh: boolean;
  onDamage: (failure: StorageError) => void;
}

/** Services on an open database, which may be read-only. */
export type OpenedServices = Disposable & { readonly readOnlyBecause?: StorageError | null };

export interface StorageGateOptions<T> {
  /** Returns the configured storage root. */
  directory: () => string;
  /** Opens the database and creates the services. If it throws, nothing may stay open. */
  open: (how: OpenStorage) => Promise<T>;
  clock: Clock;
  logger: Logger;
}

interface Failure {
  directory: string;
  error: unknown;
  /** Fingerprint of the database file after it was closed. */
  fingerprint: Promise<string | null>;
}

/**
 * Opens and closes the database and its services. After a temporary failure, such as a lock or a full disk, the next use tries
 * again. After a permanent failure, such as damage or a foreign or newer file, the file stays unchanged until the user decides.
 */
export class StorageGate<T extends OpenedServices> implements Disposable {
  private readonly emitter: Emitter<StorageState>;
  private opened: T | undefined;
  private openedIn = '';
  private opening: Promise<T> | undefined;
  private closing: Promise<void> = Promise.resolve();
  private failure: Failure | undefined;
  private isDisposed = false;
  private isClearing = false;
  private others: ReturnType<typeof onClearing> | undefined;

  constructor(private readonly options: StorageGateOptions<T>) {
    this.emitter = new Emitter((error) => options.logger.error('A storage listener failed', error));
  }

  get onDidChange() {
    return this.emitter.event;
  }

  get current(): T | undefined {
    return this.opened;
  }

  get state(): StorageState {
    const readOnly = this.opened?.readOnlyBecause ?? null;
    const problem = this.failure === undefined ? null : describeProblem(this.failure);
    if (this.opened !== undefined)
      return { state: 'open', problem: readOnly && describeProblem({ directory: this.openedIn, error: readOnly }) };
    return { state: this.opening === undefined && problem !== null ? 'unavailable' : 'opening', problem };
  }

  /** Resolves with the opened services. Rejects if they cannot be opened. */
  async open(): Promise<T> {
    const { failure } = this;
    if (failure !== undefined && isLasting(failure.error) && failure.directory === this.options.directory()) throw failure.error;
    return this.retry();
  }

  /** Opens like `open`, but also retries after a permanent failure. */
  async retry(): Promise<T> {
    return this.opened ?? (await this.begin(false));
  }

  /** Resolves with the opened services, or undefined. Waits for an ongoing attempt to open them, for at most `withinMs` milliseconds. */
  async settled(withinMs: number): Promise<T | undefined> {
    if (this.opening !== undefined) await withTimeout(this.opening, withinMs, this.options.clock).catch(() => undefined);
    return this.opened;
  }

  /** Renames the damaged database and starts with an empty one. Rejects if this fails. Call this only on the user's request. */
  async setAside(): Promise<void> {
    const { failure } = this;
    if (failure === undefined || !['corrupt', 'incomplete'].some((code) => hasCode(failure.error, code))) return;
    if (this.opening !== undefined) return;
    const { clock, logger } = this.options;
    try {
      const { setAside } = await upkeep();
      const fingerprint = await failure.fingerprint;
      if (fingerprint === null && hasCode(failure.error, 'corrupt'))
        throw new StorageError('changed', 'The damaged database is gone');
      const name = await setAside(failure.directory, fingerprint, clock);
      logger.warn(`The damaged database was set aside as ${name}`);
    } catch (error) {
      if (hasCode(error, 'changed')) await this.begin(false).catch(() => undefined);
      throw error;
    }
    await this.begin(true);
  }

  /**
   * Closes the storage in all windows, deletes everything in its folder and starts with an empty database. If it rejects, the
   * remaining data is open again. Call this only on the user's request.
   */
  async clear(): Promise<void> {
    const opened = await this.open();
    const directory = this.openedIn;
    if (this.opened !== opened) throw new StorageError('closed', 'The database was closed meanwhile');
    this.isClearing = true;
    let isFresh = false;
    try {
      const { announceClearing, clearStorage } = await upkeep();
      this.others?.dispose();
      const notice = await announceClearing(directory).catch((error: unknown) => {
        this.listen(directory);
        throw error;
      });
      try {
        this.closeAndAnnounce(opened);
        await this.closing;
        await this.whenOthersHaveClosed(() => clearStorage(directory, this.options.clock));
        isFresh = true;
        this.options.logger.info(`Everything in ${directory} was deleted`);
      } finally {
        // Other windows wait until the notice is disposed. They then find the new database and do not look for an old one.
        await this.begin(isFresh).finally(() => notice.dispose());
      }
    } finally {
      this.isClearing = false;
    }
  }

  /** Closes the services, including those that are still being opened. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    await this.opening?.catch(() => undefined);
    await this.closing;
    const opened = this.opened;
    this.opened = undefined;
    this.others?.dispose();
    this.emitter.dispose();
    await opened?.dispose();
  }

  /** Closes the services because another window deletes everything. */
  private closeForClearing(): void {
    if (this.opened === undefined || this.isDisposed) return;
    this.options.logger.info('Another window deletes everything that is stored');
    this.closeAndAnnounce(this.opened);
    this.begin(false).catch(() => undefined);
  }

  private closeAndAnnounce(opened: T): void {
    this.close(opened);
    this.announce();
  }

  /** Starts disposing of the services. Does not wait for this to finish. */
  private close(opened: T): void {
    this.opened = undefined;
    this.closing = Promise.resolve()
      .then(() => opened.dispose())
      .catch((failure: unknown) => this.options.logger.warn('Not all could be closed', failure));
  }

  private async whenOthersHaveClosed(work: () => Promise<void>): Promise<void> {
    for (let waited = 0; ; waited += closePollMs) {
      try {
        await work();
        return;
      } catch (error) {
        if (!hasCode(error, 'inUse') || waited >= maxCloseWaitMs) throw error;
        await this.options.clock.sleep(closePollMs);
      }
    }
  }

  private begin(isFresh: boolean): Promise<T> {
    if (this.isDisposed) return Promise.reject(new StorageError('closed', 'The window is closing'));
    if (this.opening === undefined) {
      const opening = this.attempt(isFresh);
      this.opening = opening;
      this.announce();
      const settle = () => {
        this.opening = undefined;
        if (!this.isDisposed) this.announce();
      };
      opening.then(settle, settle);
    }
    return this.opening;
  }

  private async attempt(isFresh: boolean): Promise<T> {
    const directory = this.options.directory();
    await this.closing;
    let early: StorageError | undefined;
    const onDamage = (failure: StorageError) => {
      if (this.opened === undefined) early = failure;
      else this.closeDamaged(directory, failure);
    };
    try {
      if (!this.isClearing && isClearingAnnounced(directory)) await (await upkeep()).untilCleared(directory, this.options.clock);
      const value: T = await this.options.open({ directory, isFresh, onDamage });
      if (early !== undefined) {
        await value.dispose();
        throw early;
      }
      this.failure = undefined;
      this.opened = value;
      this.openedIn = directory;
      this.listen(directory);
      return value;
    } catch (error) {
      this.options.logger.error('The storage could not be opened', error);
      const fingerprint = await fingerprintIn(directory).catch(() => null);
      this.failure = { directory, error, fingerprint: Promise.resolve(fingerprint) };
      throw error;
    }
  }

  private listen(directory: string): void {
    this.others?.dispose();
    this.others = onClearing(directory, () => this.closeForClearing(), this.options.logger);
  }

  /** Closes the open database after damage was found. */
  private closeDamaged(directory: string, error: StorageError): void {
    const lost = this.opened;
    if (lost === undefined) return;
    this.options.logger.error('The database is not used any more', error);
    this.close(lost);
    this.failure = { directory, error, fingerprint: this.closing.then(() => fingerprintIn(directory)).catch(() => null) };
    this.announce();
  }

  private announce(): void {
    this.emitter.fire(this.state);
  }
}

function upkeep() {
  return import(/* webpackChunkName: "upkeep" */ './upkeep/upkeep');
}

async function fingerprintIn(directory: string): Promise<string | null> {
  return (await upkeep()).createFingerprint(directory);
}

/** Maximum wait for other windows to close, and polling interval, in milliseconds. */
const maxCloseWaitMs = 10_000;
const closePollMs = 100;

const lasting = ['corrupt', 'incomplete', 'replaced', 'foreign', 'newer'];

function isLasting(error: unknown): boolean {
  return lasting.some((code) => hasCode(error, code));
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof AppError && error.code === code;
}

const actionsByCode: Readonly<Record<string, StorageAction[]>> = {
  corrupt: ['setAside', 'retry', 'openFolder', 'chooseFolder', 'showLog'],
  incomplete: ['retry', 'openFolder', 'setAside', 'chooseFolder', 'showLog'],
  replaced: ['openFolder', 'retry', 'chooseFolder', 'showLog'],
  foreign: ['chooseFolder', 'retry', 'openFolder', 'showLog'],
  newer: ['chooseFolder', 'openFolder', 'showLog'],
  full: ['retry', 'chooseFolder', 'openFolder', 'showLog'],
  readonly: ['retry', 'chooseFolder', 'openFolder', 'showLog'],
};

function describeProblem({ directory, error }: Pick<Failure, 'directory' | 'error'>): StorageState['problem'] {
  const code = error instanceof AppError ? error.code : 'internal';
  const message =
    error instanceof AppError
      ? error.userMessage
      : t('Could not open the chat history because of an internal error. See the log for details.');
  return { code, message, folder: directory, actions: actionsByCode[code] ?? ['retry', 'openFolder', 'showLog'] };
}
