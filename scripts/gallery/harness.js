/* Fake editor for the view: its theme, its API, and an extension that answers from a fixture. */
(() => {
  const { theme, scenario } = window.__gallery;
  for (const [name, value] of Object.entries(theme.variables)) document.documentElement.style.setProperty(name, value);
  document.body.className = theme.bodyClass;

  const send = (message) => window.dispatchEvent(new MessageEvent('message', { data: structuredClone(message) }));
  const answers = {
    ready: () => scenario.ready,
    findSymbols: ({ names }) => ({
      found: names.map((name) => (name === 'meanOf' ? { path: 'src/mean.ts', startLine: 12 } : null)),
    }),
    findFiles: ({ paths }) => ({ found: paths.map(() => null) }),
    openSession: ({ sessionId }) => {
      const session = scenario.sessions[sessionId];
      if (scenario.pageSize === undefined) return session;
      return { ...session, ...pageOf(session.entries, Infinity) };
    },
    earlierEntries: ({ sessionId, beforeSeq }) => pageOf(scenario.sessions[sessionId].entries, beforeSeq),
    listSessions: ({ offset, limit }) => {
      if (scenario.history === 'failing') throw new Error('The database could not be read');
      if (scenario.history === 'loading') return new Promise(() => undefined);
      const page = scenario.history.slice(offset, offset + limit);
      return { sessions: page, hasMore: scenario.hasMoreHistory ?? false, nextOffset: offset + page.length };
    },
    searchSessions: ({ query }) => {
      if (scenario.search === 'searching') return new Promise(() => undefined);
      const { found = [], ...more } = scenario.search ?? {};
      return { found: query.startsWith('zebra') ? [] : found, hasMore: false, isComplete: true, isIndexed: true, ...more };
    },
    readSettings: () => {
      if (scenario.settings === 'failing') throw new Error('The settings could not be read');
      return scenario.settings === 'loading' ? new Promise(() => undefined) : scenario.settings;
    },
    readCheckpointStorage: () => scenario.stored ?? new Promise(() => undefined),
    listMissingCheckpoints: () => ({ ids: [] }),
    listStoredCheckpoints: () => scenario.storedCheckpoints ?? new Promise(() => undefined),
    verifyStorage: () => scenario.verified ?? new Promise(() => undefined),
    readStatistics: () =>
      scenario.statistics ?? {
        tokensByDay: [],
        models: [],
        tools: [],
        toolsByDay: [],
        sessions: [],
        edits: [],
        compactions: 0,
        completions: { shown: 0, accepted: 0, retained: null },
      },
    measureStorage: () => ({ bytes: 48_300_000 }),
    deleteSession: () => ({ isDeleted: false }),
    send: () => ({ sessionId: 's1' }),
    suggestModels: () => scenario.suggestions ?? { suggestions: [], memory: null, kind: 'computer', asOf: '' },
    readCompletions: () => scenario.completions ?? new Promise(() => undefined),
    completionOffer: () => ({ offer: scenario.offer ?? null }),
    listBackground: () => ({ commands: scenario.background ?? [] }),
    listCommandOutput: () => ({ outputs: scenario.outputs ?? [] }),
    listTools: () => ({ tools: scenario.tools ?? [] }),
    listAgents: () => ({ agents: scenario.agents ?? [] }),
    readImage: ({ hash }) => ({ data: scenario.images?.[hash] ?? null }),
    getMemory: () => ({ lines: scenario.memory ?? [] }),
    addMemory: () => ({ lines: scenario.memory ?? [] }),
    forgetMemory: () => ({ lines: scenario.memory ?? [] }),
    readMemoryPlan: () =>
      scenario.memoryPlan ?? { models: [], total: 0, isComplete: true, room: null, evicted: [], isTooLarge: false },
    readConnections: () => scenario.connections ?? { records: [], dropped: 0 },
    sandboxState: () => scenario.sandbox ?? { isAvailable: true },
    getGrants: () => scenario.grants ?? scenario.ready.grants,
    listQueued: () => ({ messages: scenario.queued ?? [] }),
    getWorkSession: () => ({ workSession: scenario.workSession ?? null }),
    planRestore: () =>
      scenario.plan === undefined
        ? new Promise(() => undefined)
        : { uncovered: { histories: [], gone: [], goneCount: 0 }, ...scenario.plan },
    planCommandUndo: () => answers.planRestore(),
    readIndex: () => scenario.index ?? new Promise(() => undefined),
    listMcpServers: () => scenario.mcp ?? { servers: [], prompts: [], waiting: [], problems: [] },
    readMcpServer: () => ({ server: scenario.mcpServer ?? null }),
    testMcpServer: () => scenario.tested ?? new Promise(() => undefined),
    removeMcpServer: () => ({ isRemoved: false }),
    listPrompts: () => ({ prompts: [] }),
    completeMention: () => ({ items: [] }),
    listChanges: () => ({ files: scenario.changed ?? [], revertible: scenario.revertible ?? [] }),
  };
  /** Pages as the extension does: roughly `pageSize` entries that begin with a user message. */
  const pageOf = (entries, before) => {
    const earlier = entries.filter(({ seq }) => seq < before);
    const first = earlier.slice(-scenario.pageSize).find(({ type }) => type === 'user_input')?.seq ?? 1;
    return { entries: earlier.filter(({ seq }) => seq >= first), hasEarlier: first > 1 };
  };
  let state = scenario.state;

  window.acquireVsCodeApi = () => ({
    getState: () => state,
    setState: (next) => (state = next),
    postMessage: async ({ t, i, m, a }) => {
      if (t !== 'q' || i === undefined) return;
      if (m === 'reportViewError') console.error(`The view reports: ${a[0].message}\n${a[0].stack ?? ''}`);
      if (scenario.pending?.includes(m)) return;
      try {
        if (scenario.failing?.[m] !== undefined) throw new Error(scenario.failing[m]);
        send({ t: 's', i, r: answers[m] === undefined ? {} : await answers[m](a[0]) });
        if (m === 'ready' && scenario.context !== null) window.__emit('context', scenario.context);
      } catch (error) {
        send({ t: 's', i, e: error.message });
      }
    },
  });
  window.__emit = (name, value) => send({ t: 'q', m: name, a: [value], o: true });
})();
