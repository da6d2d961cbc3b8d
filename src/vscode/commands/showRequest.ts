import * as vscode from 'vscode';
import type { SessionRecord } from '../../types/session';
import type { KeptRequests } from '../../services/model/client/keptRequests';
import { clockTime } from '../../types/format';
import type { IsSecret } from '../../services/export/selection';
import type { ModelExchange } from '../../types/modelExchange';

export interface RequestSources {
  requests: KeptRequests;
  documents: { ofText(shown: string, text: string): vscode.Uri };
  sessions: { get(id: string): Promise<SessionRecord | undefined> };
  secretsOf: (session: SessionRecord | undefined) => IsSecret;
  /** Returns whether requests to the configured server contain an access token. */
  hasToken: () => Promise<boolean>;
}

/**
 * Shows a stored request as a read-only document. `args` contains the session and the turn. Without them, offers all
 * stored requests. Lets the user choose if there are several.
 */
export async function showRequest(sources: RequestSources, args: readonly unknown[]): Promise<void> {
  const [sessionId, turn] = args;
  const isOfTurn = typeof sessionId === 'string' && typeof turn === 'number';
  const kept = isOfTurn ? sources.requests.ofTurn(sessionId, turn) : [...sources.requests.all()];
  if (kept.length === 0) {
    sayGone(sources.requests.limit(), isOfTurn);
    return;
  }
  const chosen = kept.length === 1 ? kept[0] : await choose(kept);
  if (chosen === undefined) return;
  const { redactRequest, requestText } = await texts();
  const record = chosen.origin && (await sources.sessions.get(chosen.origin.sessionId.split('#')[0] ?? ''));
  const body = redactRequest(chosen.body, sources.secretsOf(record));
  const text = requestText(chosen, body, { hasToken: await sources.hasToken() });
  const uri = sources.documents.ofText(`${vscode.l10n.t('Request')} ${shellName(chosen)}`, text);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { preview: true });
}

async function texts() {
  const [{ redactRequest }, { requestText }] = await Promise.all([
    import(/* webpackChunkName: "export" */ '../../services/export/requestRedaction'),
    import(/* webpackChunkName: "export" */ '../../services/export/requestText'),
  ]);
  return { redactRequest, requestText };
}

/** Lists the newest request first, so that Enter shows it. */
async function choose(kept: readonly ModelExchange[]): Promise<ModelExchange | undefined> {
  const items = kept
    .map((exchange, index) => ({
      label: vscode.l10n.t('Request {0} of {1}', index + 1, kept.length),
      description: [clockTime(exchange.startedAt, Date.now()), exchange.model].join(' · '),
      detail: describeExchange(exchange),
      exchange,
    }))
    .reverse();
  const title = vscode.l10n.t('Show request');
  return (await vscode.window.showQuickPick(items, { title, placeHolder: vscode.l10n.t('Select a request') }))?.exchange;
}

function describeExchange({ metrics, origin }: ModelExchange): string {
  const tokens = metrics?.prompt_eval_count;
  return [
    ...(origin?.sessionId.includes('#') === true ? [vscode.l10n.t('subagent')] : []),
    ...(origin === undefined ? [vscode.l10n.t('not part of a chat')] : []),
    ...(tokens === undefined ? [] : [vscode.l10n.t('prompt: {0} tokens', tokens)]),
    ...(metrics === null ? [vscode.l10n.t('no complete answer')] : []),
  ].join(' · ');
}

/**
 * Returns the file name of the document. It consists of the model and the time, in
 * characters that every operating system allows.
 */
function shellName({ model, startedAt }: ModelExchange): string {
  const time = new Date(startedAt).toTimeString().slice(0, 8).replaceAll(':', '-');
  return `${model.replaceAll(/[^\w.-]+/g, '-')} ${time}.sh`;
}

function sayGone(limit: number, isOfTurn: boolean): void {
  const text =
    limit === 0
      ? vscode.l10n.t('Requests are not kept. Set “ollamaCopilot.privacy.keptRequests” to the number of requests to keep.')
      : isOfTurn
        ? vscode.l10n.t(
            'The request for this answer is no longer available. The last {0} requests are kept in memory until the window closes.',
            limit,
          )
        : vscode.l10n.t('No request has been kept yet. Send a message first.');
  const settings = vscode.l10n.t('Open Settings');
  void vscode.window.showInformationMessage(text, settings).then((choice) => {
    if (choice === settings)
      void vscode.commands.executeCommand('workbench.action.openSettings', 'ollamaCopilot.privacy.keptRequests');
  });
}
