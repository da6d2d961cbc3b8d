const { Socket } = require('node:net');

/*
 * Loaded first in each Windows process of the tests.
 */

// Wine does not pass on TEMP of the outer environment.
const { OLLAMA_COPILOT_WINDOWS_TEMP: temporary } = process.env;
if (temporary) Object.assign(process.env, { TEMP: temporary, TMP: temporary });

// Under Wine, a socket with keep-alive does not connect. `fetch` sets it for each connection.
Socket.prototype.setKeepAlive = function () {
  return this;
};
