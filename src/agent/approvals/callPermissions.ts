import type { Grants } from '../../protocol/requests/grants';
import { phrase, type Phrase } from '../../utils/l10n';
import { noGrants, type Grantable, type GrantCheck, type SessionGrants } from './sessionGrants';

/** Permissions of the session for one call. They do not apply to a call that the model wrote as text without announcing it. */
export class CallPermissions {
  private isIgnored = false;

  constructor(
    private readonly grants: Pick<SessionGrants, 'of' | 'check'>,
    private readonly sessionId: string,
    private readonly isUnannounced: boolean,
  ) {}

  /** Reasons that require approval before the call deletes or replaces a whole file. */
  get reasons(): Phrase[] {
    return this.isUnannounced ? [phrase('the model wrote this call as plain text, not as a tool call')] : [];
  }

  /** Reasons that require approval even if the user has allowed the command. */
  get reasonsAgainst(): Phrase[] {
    return this.isIgnored ? this.reasons : [];
  }

  /**
   * Returns the permissions. The sandbox permission always applies, because
   * the sandbox limits the effects of a command and they can be undone.
   */
  async of(): Promise<Grants> {
    const given = await this.grants.of(this.sessionId);
    return this.isUnannounced ? { ...noGrants, sandbox: given.sandbox, hosts: given.hosts } : given;
  }

  /** Returns whether the user has allowed exactly this command or tool for the session. Throws `StorageError`. */
  async check(what: Grantable): Promise<GrantCheck> {
    const check = await this.grants.check(this.sessionId, what);
    if (!this.isUnannounced) return check;
    this.isIgnored = check.state !== 'none';
    return { state: 'none', files: check.files };
  }
}
