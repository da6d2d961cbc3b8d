const { Socket } = require('node:net');

/* Setup that every Windows test process loads first. */

// Wine does not pass on the TEMP variable of the outer environment.
const { OLLAMA_COPILOT_WINDOWS_TEMP: temporary } = process.env;
if (temporary) Object.assign(process.env, { TEMP: temporary, TMP: temporary });

// Under Wine, a socket with keep-alive cannot connect. `fetch` enables keep-alive for each connection.
Socket.prototype.setKeepAlive = function () {
  return this;
};
