/* Stands in for the editor around the view: its theme, its API, and an extension that answers from a fixture. */
(() => {
  const { theme, scenario } = window.__gallery;
  for (const [name, value] of Object.entries(theme.variables)) document.documentElement.style.setProperty(name, value);
  document.body.className = theme.bodyClass;

  const send = (message) => window.dispatchEvent(new MessageEvent('message', { data: structuredClone(message) }));
  const answers = {
    ready: () => scenario.ready,
    openSession: ({ sessionId }) => scenario.sessions[sessionId],
    listSessions: ({ offset, limit }) => {
      if (scenario.history === 'failing') throw new Error('The database could not be read');
      if (scenario.history === 'loading') return new Promise(() => undefined);
      const page = scenario.history.slice(offset, offset + limit);
      return { sessions: page, hasMore: scenario.hasMoreHistory ?? false };
    },
    send: () => ({ sessionId: 's1' }),
  };
  let state = scenario.state;

  window.acquireVsCodeApi = () => ({
    getState: () => state,
    setState: (next) => (state = next),
    postMessage: async ({ t, i, m, a }) => {
      if (t !== 'q' || i === undefined) return;
      if (m === 'reportViewError') console.error(`The view reports: ${a[0].message}\n${a[0].stack ?? ''}`);
      try {
        send({ t: 's', i, r: answers[m] === undefined ? {} : await answers[m](a[0]) });
        if (m === 'ready' && scenario.context !== null) window.__emit('context', scenario.context);
      } catch (error) {
        send({ t: 's', i, e: error.message });
      }
    },
  });
  window.__emit = (name, value) => send({ t: 'q', m: name, a: [value], o: true });
})();
