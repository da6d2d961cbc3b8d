import { z } from 'zod';
import { checkpointStorageRequests } from './checkpointStorage';
import { completionRequests } from './requests/completionRequests';
import { changeRequests } from './requests/changeRequests';
import { indexRequests } from './requests/indexRequests';
import { mcpRequests } from './requests/mcpRequests';
import { memoryRequests } from './requests/memoryRequests';
import { messageRequests } from './requests/messageRequests';
import { sessionRequests } from './requests/sessionRequests';
import { statisticsRequests } from './requests/statisticsRequests';
import { line, mode, name, none } from './requests/shared';
import {
  connectionStateSchema,
  grantsSchema,
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

/** Holds what the view may ask of the host: every request once, with the schemas of its parameters and its result. */

export const hostRequests = {
  /** The view is up, or the storage has been opened since. `sessionId` is the session last shown, null also without storage. */
  ready: {
    params: none,
    result: z.object({
      sessionId: z.string().nullable(),
      mode,
      workspace: workspaceStateSchema,
      models: modelsStateSchema,
      pulls: z.array(pullStateSchema),
      /** Tells where the extension runs; the server is elsewhere when its address is. */
      system: z.enum(['linux', 'mac', 'windows', 'wsl', 'other']),
      /** In WSL, the address at which it finds Windows, where that is known. */
      windowsHost: z.string().nullable(),
      connection: connectionStateSchema,
      storage: storageStateSchema,
      /** Holds what was in the editor when the view asked; a later `inEditor` event takes its place. */
      inEditor: inEditorSchema,
      /** Holds what a new session may do without a question. */
      grants: grantsSchema,
      /** Translated texts by their English form; missing ones are shown in English. */
      l10n: z.record(z.string(), z.string()),
    }),
  },
  ...sessionRequests,
  ...messageRequests,
  ...changeRequests,
  ...completionRequests,
  ...mcpRequests,
  ...indexRequests,
  ...memoryRequests,
  ...statisticsRequests,
  selectMode: { params: z.object({ mode }), result: none },
  selectModel: { params: z.object({ mode, model: name }), result: none },
  /** Chooses how a model is told to think; null leaves it to the server. */
  setThink: { params: z.object({ name, think: z.union([z.boolean(), name, z.null()]) }), result: none },
  readSettings: { params: none, result: settingsStateSchema },
  /** Null takes back what was saved. Rejects with `settingUnknown`, `settingValue` or `settingNotSaved`, in words for beside the field. */
  saveSetting: {
    params: z.object({ key: name, value: z.union([name, z.number(), z.boolean(), z.null(), listValue, switchesValue]) }),
    result: none,
  },
  /** The editor's own settings, at this extension or at one of its keys. */
  openEditorSettings: { params: z.object({ key: name.nullable() }), result: none },
  /** Removes the bearer token of the configured server, after a question that the host asks. */
  removeToken: { params: none, result: none },
  /** Tells how much room the stored conversations take. */
  measureStorage: { params: none, result: z.object({ bytes: z.number() }) },
  ...checkpointStorageRequests,
  refreshModels: { params: none, result: none },
  /** Models worth pulling, fitted to the memory at hand, the most able first. Sizes in bytes. */
  suggestModels: {
    params: none,
    result: z.object({ suggestions: z.array(z.object({ name: z.string(), size: z.number() })), memory: z.number().nullable() }),
  },
  /** Resolves when the pull has begun; `pulls` events tell how it goes on. */
  pullModel: { params: z.object({ name: z.string().min(1).max(300) }), result: none },
  /** Ends a pull, or takes a failed one off the list. */
  cancelPull: { params: z.object({ name: z.string() }), result: none },
  /** After a question that the host asks. */
  deleteModel: { params: z.object({ name: z.string() }), result: none },
  unloadModel: { params: z.object({ name: z.string() }), result: none },
  setModelEnabled: { params: z.object({ name: z.string(), enabled: z.boolean() }), result: none },
  testConnection: { params: none, result: none },
  openFile: {
    params: z.object({ path: name, startLine: line.optional(), endLine: line.optional() }),
    result: none,
  },
  /** Tells which paths are files of the workspace: for each its path there, else null. */
  findFiles: {
    params: z.object({ paths: z.array(name.max(300)).max(200) }),
    result: z.object({ found: z.array(z.string().nullable()) }),
  },
  /** Opens a link outside after asking; only http and https. */
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
  /** Does one of the actions that `storage` offers; resolves when it is done, however the storage stands then. */
  actOnStorage: { params: z.object({ action: storageActionSchema }), result: storageStateSchema },
  /** An error inside a component, for the log. */
  reportViewError: { params: z.object({ message: z.string(), stack: z.string().optional() }), result: none },
} as const;

type Requests = typeof hostRequests;
export type HostRequestName = keyof Requests;
type HostParams<K extends HostRequestName> = z.infer<Requests[K]['params']>;
export type HostResult<K extends HostRequestName> = z.infer<Requests[K]['result']>;
/** The host's side; the view's side is the same with every method asynchronous. */
export type HostApi = { [K in HostRequestName]: (params: HostParams<K>) => Promise<HostResult<K>> };
