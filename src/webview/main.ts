import './zod';
import '@vscode/codicons/dist/codicon.css';
import './theme.css';
import './markdown/prose.css';
import './markdown/highlight.css';
import { createApp } from 'vue';
import App from './App.vue';
import { connectToHost, hostKey } from './common/useHost';
import { copiedState } from './copiedState';
import { acquireEditor } from './hostConnection';
import { setDisplayLanguage } from '../types/format';

setDisplayLanguage(document.documentElement.lang);

const editor = acquireEditor();
const host = connectToHost(editor.channel);

window.addEventListener('error', (event) => {
  // Not an error. The browser delays further notifications to the next frame.
  if (!event.message.startsWith('ResizeObserver loop')) host.fail(event.error ?? event.message);
});
window.addEventListener('unhandledrejection', (event) => host.fail(event.reason));

const copy = document.getElementById('app')?.dataset['state'];
const store = copiedState(editor.state, copy, (state) => void host.api.copyViewState({ state }).catch(host.report));

const app = createApp(App, { store });
app.config.errorHandler = (error) => host.fail(error);
app.provide(hostKey, host);
app.mount('#app');
