/** Accepts WebSocket connections on an HTTP server that `Network` created. It must not open its own port. */
export { WebSocketServer } from 'ws';
