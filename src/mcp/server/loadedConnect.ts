import type { Connect } from './serverConnection';

/** Connects to a server. Loads the client when the first server starts. */
export const loadAndConnect: Connect = async (...asked) => {
  const client = await import(/* webpackChunkName: "mcp" */ './connect');
  return client.connect(...asked);
};
