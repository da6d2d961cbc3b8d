import { z } from 'zod';
import { checkpointStorageRequests } from './checkpointStorage';
import { connectionRequests } from './requests/connectionRequests';
import { completionRequests } from './requests/completionRequests';
import { changeRequests } from './requests/changeRequests';
import { fitRequests } from './requests/fitRequests';
import { indexRequests } from './requests/indexRequests';
import { mcpRequests } from './requests/mcpRequests';
import { memoryRequests } from './requests/memoryRequests';
import { grantsSchema } from './requests/grants';
import { messageRequests } from './requests/messageRequests';
import { sessionRequests } from './requests/sessionRequests';
import { statisticsRequests } from './requests/statisticsRequests';
import { line, mode, name, none } from './requests/shared';
import {
  connectionStateSchema,
  inEditorSchema,
  modelsStateSchema,
  pullStateSchema,
  settingsStateSchema,
  storageActionSchema,
  storageStateSchema,
  workspaceStateSchema,
} from './webviewEvents';

const listValue = z.array(name).max(2000);
const switchesValue = z.record(name, z.boolean());

/** Maximum length of the view's state, in characters. */
const maxViewState = 4_000_000;

/** Requests from the view to the host, each with the schemas of its parameters and result. */

export const hostRequests = {
  /**
   * Sent when the view has loaded, and again after the storage opens. `sessionId` is the
   * session that was shown last. It is null if there is none or if there is no storage.
   */
  ready: {
    params: none,
    result: z.object({
      sessionId: z.string().nullable(),
      mode,
      workspace: workspaceStateSchema,
      models: modelsStateSchema,
      pulls: z.array(pullStateSchema),
      /** Operating system of the extension host. The server may run elsewhere. */
      system: z.enum(['linux', 'mac', 'windows', 'wsl', 'other']),
      /** In WSL, the address of the Windows host, if known. */
      windowsHost: z.string().nullable(),
      connection: connectionStateSchema,
      storage: storageStateSchema,
      /** Items in the editor at the time of the request. `inEditor` events later replace them. */
      inEditor: inEditorSchema,
      grants: grantsSchema,
      /** Translations by English text. Texts without a translation are shown in English. */
      l10n: z.record(z.string(), z.string()),
    }),
  },
  /** Stores a copy of the view's state, as JSON. */
  copyViewState: { params: z.object({ state: z.string().max(maxViewState) }), result: none },
  ...sessionRequests,
  ...messageRequests,
  ...changeRequests,
  ...completionRequests,
  ...mcpRequests,
  ...indexRequests,
  ...memoryRequests,
  ...statisticsRequests,
  ...connectionRequests,
  selectMode: { params: z.object({ mode }), result: none },
  selectModel: { params: z.object({ mode, model: name }), result: none },
  /** Sets the thinking level of a model. Null uses the server's default. */
  setThink: { params: z.object({ name, think: z.union([z.boolean(), name, z.null()]) }), result: none },
  readSettings: { params: none, result: settingsStateSchema },
  /**
   * Saves a setting. Null removes the saved value. Rejects with `settingUnknown`, `settingValue` or
   * `settingNotSaved`, and a message to show next to the field.
   */
  saveSetting: {
    params: z.object({ key: name, value: z.union([name, z.number(), z.boolean(), z.null(), listValue, switchesValue]) }),
    result: none,
  },
  /** Opens the editor's settings for this extension or for one key. */
  openEditorSettings: { params: z.object({ key: name.nullable() }), result: none },
  /** Removes the bearer token of the configured server after a confirmation in the host. */
  removeToken: { params: none, result: none },
  measureStorage: { params: none, result: z.object({ bytes: z.number() }) },
  ...checkpointStorageRequests,
  refreshModels: { params: none, result: none },
  /** Suggests models to pull that fit in memory, largest first. Sizes are in bytes. */
  suggestModels: {
    params: none,
    result: z.object({
      suggestions: z.array(z.object({ name: z.string(), size: z.number() })),
      memory: z.number().nullable(),
      /** `gpu`: memory measured when models filled the GPU. `computer`: total memory of the computer. */
      kind: z.enum(['gpu', 'computer']),
      /** Month of the size table, in the format `YYYY-MM`. */
      asOf: z.string(),
    }),
  },
  /** Resolves when the pull starts. `pulls` events report its progress. */
  pullModel: { params: z.object({ name: z.string().min(1).max(300) }), result: none },
  /** Cancels a pull, or removes a failed one from the list. */
  cancelPull: { params: z.object({ name: z.string() }), result: none },
  /** Deletes a model after a confirmation in the host. */
  deleteModel: { params: z.object({ name: z.string() }), result: none },
  /**
   * Starts or continues the exam of a model. `models` events report the progress. Rejects
   * with `exam` while another exam is running.
   */
  startExam: { params: z.object({ name: z.string() }), result: none },
  /** Cancels the running exam. The results of completed tasks are kept. */
  cancelExam: { params: none, result: none },
  ...fitRequests,
  unloadModel: { params: z.object({ name: z.string() }), result: none },
  setModelEnabled: { params: z.object({ name: z.string(), enabled: z.boolean() }), result: none },
  testConnection: { params: none, result: none },
  openFile: {
    params: z.object({ path: name, startLine: line.optional(), endLine: line.optional() }),
    result: none,
  },
  /** Returns the workspace path for each path that is a file, and null for other paths. */
  findFiles: {
    params: z.object({ paths: z.array(name.max(300)).max(200) }),
    result: z.object({ found: z.array(z.string().nullable()) }),
  },
  /** Opens an http(s) link in the browser after a confirmation. */
  openLink: { params: z.object({ url: name }), result: none },
  runCommand: {
    params: z.object({
      command: z.enum([
        'openSettings',
        'openStorage',
        'setBearerToken',
        'chooseServer',
        'showLog',
        'selectModel',
        'testConnection',
        'openFolder',
        'manageTrust',
        'exportAllSessions',
        'verifyStorage',
        'collectGarbage',
        'recreateMessagesTable',
        'recreateCodeIndex',
        'backupHistory',
      ]),
    }),
    result: none,
  },
  /** Runs one of the actions that `storage` offers. Resolves with the new state of the storage. */
  actOnStorage: { params: z.object({ action: storageActionSchema }), result: storageStateSchema },
  /** Reports an error in a component. The host logs it. */
  reportViewError: { params: z.object({ message: z.string(), stack: z.string().optional() }), result: none },
} as const;

type Requests = typeof hostRequests;
export type HostRequestName = keyof Requests;
type HostParams<K extends HostRequestName> = z.infer<Requests[K]['params']>;
export type HostResult<K extends HostRequestName> = z.infer<Requests[K]['result']>;
export type HostApi = { [K in HostRequestName]: (params: HostParams<K>) => Promise<HostResult<K>> };
