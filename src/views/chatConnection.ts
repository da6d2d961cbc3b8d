import * as vscode from 'vscode';
import { hostRequests, type HostApi, type HostRequestName } from '../protocol/hostApi';
import { connectHost, RequestFailure, type Channel, type ViewPort } from '../protocol/rpc';
import { AppError } from '../utils/errors';
import type { Logger } from '../utils/logger';
import type { ViewConnection } from './chatView';

/** What the view needs from the rest: its requests answered, and the events of what it shows. */
export interface ChatViewBackend {
  api: HostApi;
  /** Forwards events to the view until disposed; called whenever a view comes up. */
  attach(view: ViewPort): vscode.Disposable;
}

/** Joins a view that has come up to what answers it. `onReady` is called when the view has what it needs to show itself. */
export function connectChat(channel: Channel, backend: ChatViewBackend, logger: Logger, onReady: () => void): ViewConnection {
  const api = reporting(backend.api, logger, (name) => {
    // After the answer itself has gone out.
    if (name === 'ready') setImmediate(onReady);
  });
  const port = connectHost(channel, api, (problem) => logger.warn(problem));
  const attached = backend.attach(port);
  return { port, dispose: () => void attached.dispose() };
}

/** A failure is logged, and reaches the view in words for a person and with its code. */
function reporting(api: HostApi, logger: Logger, onAnswered: (name: HostRequestName) => void): HostApi {
  const answer = async (name: HostRequestName, params: never): Promise<unknown> => {
    try {
      const result = await (api[name] as (params: never) => Promise<unknown>)(params);
      onAnswered(name);
      return result;
    } catch (error) {
      logger.error(`${name} failed`, error);
      if (error instanceof AppError) throw new RequestFailure(error.code, error.userMessage, { cause: error });
      const text = vscode.l10n.t('Something went wrong inside Ollama Copilot. Try again; the log has the details.');
      throw new RequestFailure('internal', text, { cause: error });
    }
  };
  const names = Object.keys(hostRequests) as HostRequestName[];
  return Object.fromEntries(names.map((name) => [name, (params: never) => answer(name, params)])) as unknown as HostApi;
}
