import { mount, type VueWrapper } from '@vue/test-utils';
import { vi } from 'vitest';
import type { BackgroundCommand, CommandOutput } from '../../../src/protocol/requests/runningCommands';
import type { ComponentPublicInstance } from 'vue';
import { settingDefaults } from '../../../src/config/settings';
import type { CheckpointStorage, StoredCheckpoints } from '../../../src/protocol/checkpointStorage';
import type { HostApi, HostResult } from '../../../src/protocol/hostApi';
import { connectHost, type Channel, type ViewPort } from '../../../src/protocol/rpc';
import type { AgentOfWorkspace } from '../../../src/protocol/requests/messageRequests';
import type { MemoryLine } from '../../../src/protocol/requests/memoryRequests';
import type { LeftOut, RestorePlan, Uncovered, WorkSession } from '../../../src/protocol/restore';
import type { ChangedFileState } from '../../../src/protocol/changedFiles';
import type { QueuedMessageItem } from '../../../src/protocol/requests/messageRequests';
import type { ModelOption, RunState, SessionSummary, SettingsState } from '../../../src/protocol/webviewEvents';
import type { Grants } from '../../../src/protocol/requests/grants';
import App from '../../../src/webview/App.vue';
import { connectToHost, hostKey } from '../../../src/webview/common/useHost';
import type { TestLog } from './log';

/** Returns the two ends of a channel that copies messages as the editor does. */
export function channelPair(): [Channel, Channel] {
  const listeners: ((message: unknown) => void)[][] = [[], []];
  const end = (own: number, other: number): Channel => ({
    post: (message) => {
      const copy: unknown = structuredClone(message);
      queueMicrotask(() => listeners[other]?.forEach((listener) => listener(copy)));
    },
    onMessage: (listener) => void listeners[own]?.push(listener),
  });
  return [end(0, 1), end(1, 0)];
}

export const tools: ModelOption = {
  name: 'qwen3:14b',
  size: 9.3e9,
  contextLength: 40960,
  parameterSize: '14B',
  enabled: true,
  loaded: true,
  isCloud: false,
  capabilities: { chat: true, fim: false, tools: true, vision: false, embedding: false, thinking: true },
};
export const noTools: ModelOption = {
  name: 'gemma3:12b',
  size: 8.1e9,
  contextLength: 131072,
  parameterSize: '12B',
  enabled: true,
  loaded: false,
  isCloud: false,
  capabilities: { chat: true, fim: false, tools: false, vision: true, embedding: false, thinking: false },
};
export const embedding: ModelOption = {
  name: 'nomic-embed-text',
  size: 2e8,
  contextLength: 2048,
  parameterSize: null,
  enabled: true,
  loaded: false,
  isCloud: false,
  capabilities: { chat: false, fim: false, tools: false, vision: false, embedding: true, thinking: false },
};

const ready: HostResult<'ready'> = {
  sessionId: null,
  mode: 'agent',
  workspace: { name: 'sample', hasFolder: true, isTrusted: true },
  models: { models: [tools, noTools, embedding], stale: false, selected: { agent: tools.name, ask: noTools.name } },
  pulls: [],
  system: 'linux',
  windowsHost: null,
  connection: { state: 'connected', baseUrl: 'http://localhost:11434', version: '0.12.0', message: null, demo: false },
  storage: { state: 'open', problem: null },
  inEditor: [],
  grants: { commands: false, sandbox: false, hosts: [], sensitiveEdits: false, allowedCommands: [], files: [] },
  l10n: {},
};

/** Settings of a new installation: nothing is set. */
export const settings: SettingsState = {
  settings: Object.entries(settingDefaults()).map(([key, value]) => ({
    key,
    value,
    default: value,
    isSet: false,
    scope: 'user',
    problem: null,
  })),
  folder: '/home/robin/kept/here',
  hasToken: false,
};

/** Nothing is missing from the checkpoint. */
export const nothingUncovered: Uncovered = { histories: [], gone: [], goneCount: 0 };
export const nothingLeftOut: LeftOut = { count: 0, unstableCount: 0, files: [] };

const storedCheckpoints: StoredCheckpoints = {
  checkpoints: [
    {
      id: 'ckpt_2',
      title: 'Before user message: Add tests',
      createdAt: Date.UTC(2026, 0, 31, 12),
      isApproved: false,
      leftOut: nothingLeftOut,
    },
    { id: 'ckpt_1', title: 'Initial state', createdAt: Date.UTC(2026, 0, 30, 12), isApproved: true, leftOut: nothingLeftOut },
  ],
  more: 12,
};
export const stored: CheckpointStorage = {
  bytes: 1.2e9,
  limit: 5e9,
  objects: 1200,
  checkpoints: 15,
  approved: { count: 4, oldest: 0 },
  originals: 0,
  freeable: 3e6,
  sessions: [
    { sessionId: 'a', title: 'Sign-up form', checkpoints: 14, bytes: 2.1e9, ownBytes: 2e8 },
    { sessionId: 'b', title: '', checkpoints: 1, bytes: 1.9e9, ownBytes: 0 },
  ],
};

const noFigures = { shown: 0, accepted: 0, acceptedChars: 0, retained30: null, retained300: null, requests: 0, saved: 0 };
export const noCompletions: HostResult<'readCompletions'> = {
  models: [],
  suggestions: [],
  figures: { ...noFigures, latency: null },
};

/** Smallest possible PNG: one transparent pixel. */
const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
export const image = (digit: string) => ({ hash: digit.repeat(64), type: 'image/png' as const, width: 640, height: 400 });

const idle = (sessionId: string): RunState => ({ sessionId, state: 'idle', activity: null });

export interface TestApp {
  wrapper: VueWrapper<ComponentPublicInstance>;
  root: Element;
  port: ViewPort;
  api: { [K in keyof HostApi]: ReturnType<typeof vi.fn<HostApi[K]>> };
  state: { value: unknown };
  /** Waits until all pending messages have arrived and are rendered. */
  settle(): Promise<void>;
  /** Advances the view's clock. Only this does, because a busy machine can be slow between two keystrokes. */
  pass(milliseconds: number): void;
  press(key: string, options?: KeyboardEventInit, target?: Element | null): Promise<void>;
  sendEntries(log: TestLog, from: number): Promise<void>;
}

let last: TestApp['wrapper'] | undefined;

/** Starts the whole view, connected to a fake extension that responds from `log`. */
export async function startApp(
  options: {
    ready?: Partial<HostResult<'ready'>>;
    /** Delays the response to `ready` until it resolves. */
    opening?: Promise<void>;
    log?: TestLog;
    run?: RunState;
    sessions?: SessionSummary[];
    queued?: QueuedMessageItem[];
    changed?: ChangedFileState[];
    /** `seq` of the reviews that can be undone. */
    revertible?: number[];
    plan?: RestorePlan;
    workSession?: WorkSession;
    background?: BackgroundCommand[];
    commandOutput?: CommandOutput[];
    grants?: Grants;
    sandbox?: HostResult<'sandboxState'>;
    agents?: AgentOfWorkspace[];
    memory?: MemoryLine[];
    tools?: HostResult<'listTools'>['tools'];
    settings?: SettingsState;
    stored?: CheckpointStorage;
    completions?: HostResult<'readCompletions'>;
    mcp?: HostResult<'listMcpServers'>;
    /** Server that is open in the form. */
    mcpServer?: HostResult<'readMcpServer'>['server'];
    offer?: HostResult<'completionOffer'>['offer'];
    missing?: string[];
    state?: unknown;
    /** Messages that were sent or queued, or the error if this is unknown. */
    sent?: string[] | Error | Promise<string[]>;
    /** Number of entries per page. All entries by default. */
    page?: number;
  } = {},
): Promise<TestApp> {
  const [hostEnd, viewEnd] = channelPair();
  const { log } = options;
  const nothing = async () => ({});
  const summary = (id: string): SessionSummary => ({
    id,
    title: 'A session',
    mode: 'agent',
    model: null,
    state: 'idle',
    createdAt: 0,
    updatedAt: 0,
  });
  const api: TestApp['api'] = {
    ready: vi.fn(async () => {
      await options.opening;
      return { ...ready, sessionId: log?.sessionId ?? null, ...options.ready };
    }),
    openSession: vi.fn(async ({ sessionId, sinceRevision }) => ({
      session: summary(sessionId),
      ...(sinceRevision === 0 && options.page !== undefined && log !== undefined
        ? log.page(Infinity, options.page)
        : { entries: (log?.entries ?? []).filter(({ revision }) => revision > sinceRevision), hasEarlier: false }),
      revision: log?.revision ?? 0,
      run: options.run ?? idle(sessionId),
    })),
    earlierEntries: vi.fn(
      async ({ beforeSeq }) => log?.page(beforeSeq, options.page ?? 300) ?? { entries: [], hasEarlier: false },
    ),
    listSessions: vi.fn(async () => ({ sessions: options.sessions ?? [], hasMore: false, nextOffset: null })),
    searchSessions: vi.fn(async () => ({ found: [], hasMore: false, isComplete: true, isIndexed: true })),
    renameSession: vi.fn(nothing),
    exportSession: vi.fn(async () => ({})),
    showRequest: vi.fn(async () => ({})),
    readStatistics: vi.fn(async () => ({
      tokensByDay: [],
      models: [],
      tools: [],
      toolsByDay: [],
      sessions: [],
      edits: [],
      compactions: 0,
      completions: { shown: 0, accepted: 0, retained: null },
    })),
    readConnections: vi.fn(async () => ({ records: [], dropped: 0 })),
    exportConnections: vi.fn(async () => ({ isSaved: true })),
    readIndex: vi.fn(async () => ({
      isEnabled: true,
      files: 0,
      chunks: 0,
      vectors: 0,
      bytes: 0,
      isComplete: true,
      model: null,
      suggestion: null,
      isPaused: false,
      rate: null,
      lance: null,
      shared: null,
      isFull: false,
      isDamaged: false,
    })),
    pauseIndex: vi.fn(nothing),
    rebuildIndex: vi.fn(nothing),
    deleteIndex: vi.fn(async () => ({ isDeleted: false })),
    deleteStatistics: vi.fn(async () => ({ isDeleted: false })),
    deleteSession: vi.fn(async () => ({ isDeleted: true })),
    send: vi.fn(async () => ({ sessionId: log?.sessionId ?? 's1' })),
    wasSent: vi.fn(async ({ text }) => {
      const sent = await options.sent;
      if (sent instanceof Error) throw sent;
      const begun = sent?.some((one) => one.startsWith(text)) ? 'begun' : null;
      return { sent: sent?.includes(text) ? 'whole' : begun };
    }),
    newChat: vi.fn(async () => ({ mode: 'agent' as const })),
    addContext: vi.fn(async () => ({ items: [], problems: [] })),
    listPrompts: vi.fn(async () => ({ prompts: [] })),
    completeMention: vi.fn(async () => ({ items: [] })),
    attachMention: vi.fn(async ({ item }) => ({ items: item === null ? [] : [item], problems: [] })),
    attachFiles: vi.fn(async () => ({ items: [], problems: [] })),
    insertAtCursor: vi.fn(nothing),
    applyToFile: vi.fn(nothing),
    prepare: vi.fn(nothing),
    stop: vi.fn(nothing),
    startPlan: vi.fn(nothing),
    compact: vi.fn(async () => ({ isCompacted: true })),
    undoCompaction: vi.fn(async () => ({})),
    changeModel: vi.fn(nothing),
    retry: vi.fn(nothing),
    resend: vi.fn(nothing),
    continueRun: vi.fn(nothing),
    listQueued: vi.fn(async () => ({ messages: options.queued ?? [] })),
    copyViewState: vi.fn(async () => ({})),
    listBackground: vi.fn(async () => ({ commands: options.background ?? [] })),
    listCommandOutput: vi.fn(async () => ({ outputs: options.commandOutput ?? [] })),
    stopBackground: vi.fn(nothing),
    stopCommand: vi.fn(nothing),
    continueInBackground: vi.fn(nothing),
    answerQuestion: vi.fn(nothing),
    listAgents: vi.fn(async () => ({ agents: options.agents ?? [] })),
    keepImage: vi.fn(async ({ name }: { name: string }) => ({ item: { kind: 'image' as const, path: name, image: image('a') } })),
    readImage: vi.fn(async () => ({ data: onePixel })),
    getMemory: vi.fn(async () => ({ lines: options.memory ?? [] })),
    addMemory: vi.fn(async () => ({ lines: options.memory ?? [] })),
    forgetMemory: vi.fn(async () => ({ lines: options.memory ?? [] })),
    getGrants: vi.fn(async () => options.grants ?? ready.grants),
    changeGrants: vi.fn(nothing),
    sandboxState: vi.fn(async () => options.sandbox ?? { isAvailable: true as const }),
    enqueue: vi.fn(nothing),
    removeQueued: vi.fn(async () => ({ isGone: false })),
    sendQueued: vi.fn(nothing),
    decideApproval: vi.fn(nothing),
    listChanges: vi.fn(async () => ({ files: options.changed ?? [], revertible: options.revertible ?? [] })),
    keepChanges: vi.fn(nothing),
    undoChanges: vi.fn(async () => ({ problems: [] })),
    takeBackReview: vi.fn(async () => ({ problems: [] })),
    reviewChange: vi.fn(nothing),
    compareChange: vi.fn(nothing),
    stepChange: vi.fn(nothing),
    keepHunk: vi.fn(nothing),
    undoHunk: vi.fn(async () => ({ problems: [] })),
    keepMessage: vi.fn(nothing),
    undoMessage: vi.fn(async () => ({ problems: [] })),
    planCommandUndo: vi.fn(async () => ({ title: '', files: [], leftOut: nothingLeftOut, uncovered: nothingUncovered })),
    planRestore: vi.fn(
      async () => options.plan ?? { title: '', files: [], leftOut: nothingLeftOut, uncovered: nothingUncovered },
    ),
    restoreFiles: vi.fn(nothing),
    keepTurns: vi.fn(nothing),
    compareFile: vi.fn(nothing),
    compareWithCheckpoint: vi.fn(nothing),
    compareCommand: vi.fn(nothing),
    bringBackHistory: vi.fn(async () => ({ place: 'refs/ollama-copilot/kept-1/', previous: null })),
    getWorkSession: vi.fn(async () => ({ workSession: options.workSession ?? null })),
    approveSession: vi.fn(nothing),
    selectMode: vi.fn(nothing),
    selectModel: vi.fn(nothing),
    setThink: vi.fn(nothing),
    refreshModels: vi.fn(nothing),
    testConnection: vi.fn(nothing),
    suggestModels: vi.fn(async () => ({
      suggestions: [{ name: 'qwen3:8b', size: 5.2e9 }],
      memory: 16e9,
      kind: 'computer' as const,
      asOf: '2026-08',
    })),
    measureModel: vi.fn(async () => ({ isDone: true })),
    findWindow: vi.fn(async () => ({ found: { tokens: 24_576, loads: 3, hasGpu: true } })),
    cancelFit: vi.fn(nothing),
    setModelWindow: vi.fn(nothing),
    readMemoryPlan: vi.fn(async () => ({
      models: [],
      total: 0,
      isComplete: true,
      room: null,
      evicted: [],
      isTooLarge: false,
    })),
    readCompletions: vi.fn(async () => options.completions ?? noCompletions),
    testCompletionModel: vi.fn(async ({ model }) => ({ name: model, size: 1e9, verdict: 'can' as const, words: '' })),
    completionOffer: vi.fn(async () => ({ offer: options.offer ?? null })),
    answerCompletionOffer: vi.fn(nothing),
    pullModel: vi.fn(nothing),
    cancelPull: vi.fn(nothing),
    deleteModel: vi.fn(nothing),
    unloadModel: vi.fn(nothing),
    startExam: vi.fn(nothing),
    cancelExam: vi.fn(nothing),
    setModelEnabled: vi.fn(nothing),
    listMcpServers: vi.fn(async () => options.mcp ?? { servers: [], prompts: [], waiting: [], problems: [] }),
    actOnMcpServer: vi.fn(nothing),
    allowMcpFile: vi.fn(nothing),
    setToolOn: vi.fn(nothing),
    listTools: vi.fn(async () => ({ tools: options.tools ?? [] })),
    importMcpServers: vi.fn(nothing),
    readMcpServer: vi.fn(async () => ({ server: options.mcpServer ?? null })),
    testMcpServer: vi.fn(async () => ({ outcome: 'running' as const, tools: [], problem: null, warnings: [], log: '' })),
    stopMcpTest: vi.fn(nothing),
    saveMcpServer: vi.fn(nothing),
    removeMcpServer: vi.fn(async () => ({ isRemoved: true })),
    openMcpFile: vi.fn(nothing),
    readMcpPrompt: vi.fn(async ({ name }) => ({ text: `Text of ${name}` })),
    readSettings: vi.fn(async () => options.settings ?? settings),
    saveSetting: vi.fn(nothing),
    openEditorSettings: vi.fn(nothing),
    removeToken: vi.fn(nothing),
    readCheckpointStorage: vi.fn(async () => options.stored ?? stored),
    verifyStorage: vi.fn(async () => ({ objects: 1200, damaged: 0, hasFlaws: false, files: [], moreFiles: 0 })),
    healStorage: vi.fn(async () => ({ healed: 0, left: 0 })),
    collectGarbage: vi.fn(async () => ({ bytes: 0 })),
    listMissingCheckpoints: vi.fn(async () => ({ ids: options.missing ?? [] })),
    listStoredCheckpoints: vi.fn(async () => storedCheckpoints),
    removeCheckpoint: vi.fn(async () => ({ removed: null, bytes: 0 })),
    removeOldCheckpoints: vi.fn(async () => ({ removed: null, originals: 0, bytes: 0 })),
    makeRoom: vi.fn(async () => ({ removed: null, originals: 0, bytes: 0, isEnough: false })),
    measureStorage: vi.fn(async () => ({ bytes: 12_345_678 })),
    findFiles: vi.fn(async ({ paths }) => ({ found: paths.map(() => null) })),
    findSymbols: vi.fn(async ({ names }) => ({ found: names.map(() => null) })),
    openFile: vi.fn(nothing),
    openLink: vi.fn(nothing),
    runCommand: vi.fn(nothing),
    actOnStorage: vi.fn(async () => options.ready?.storage ?? ready.storage),
    reportViewError: vi.fn(nothing),
  };
  let time = 10_000;
  vi.spyOn(performance, 'now').mockImplementation(() => time);
  const port = connectHost(hostEnd, api, () => undefined);
  const state = { value: options.state };
  const host = connectToHost(viewEnd);
  // Test files share one page. A view that is still mounted would handle this view's keystrokes.
  if (last?.vm.$.isUnmounted === false) last.unmount();
  const wrapper = mount(App, {
    props: { store: { read: () => state.value, write: (next: unknown) => (state.value = structuredClone(next)) } },
    global: { provide: { [hostKey as symbol]: host }, config: { errorHandler: (error: unknown) => host.fail(error) } },
    attachTo: document.body,
  }) as unknown as TestApp['wrapper'];
  last = wrapper;
  const settle = async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  };
  await settle();
  return {
    wrapper,
    root: wrapper.element as Element,
    port,
    api,
    state,
    settle,
    pass: (milliseconds) => void (time += milliseconds),
    press: async (key, init = {}, target = document.activeElement) => {
      const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
      (target ?? document.body).dispatchEvent(Object.defineProperty(event, 'timeStamp', { value: time }));
      await settle();
    },
    sendEntries: async (source, from) => {
      for (const entry of source.entries.slice(from)) {
        port.emit('log', { kind: 'entry', sessionId: source.sessionId, revision: entry.revision, entry });
      }
      await settle();
    },
  };
}
