import path from 'node:path';
import { cacheRoot } from '../lib/paths.mjs';

/** The versions that were tried together: Ollama drives the `llama-server` of this llama.cpp, taken from a Python source package. */
export const versions = { ollama: '0.32.15', llama: '0.3.36', smollm: '0.1.2', minilm: '0.1.0', gguf: '0.19.0' };

const executable = process.platform === 'win32' ? '.exe' : '';

export const ollamaFolder = path.join(cacheRoot, `ollama-${versions.ollama}-llama-${versions.llama}`);
export const ollamaBinary = path.join(ollamaFolder, 'bin', `ollama${executable}`);
/** `bin/ollama` looks for the engine in `../lib/ollama`. */
export const engineBinary = path.join(ollamaFolder, 'lib', 'ollama', `llama-server${executable}`);
export const quantizeBinary = path.join(ollamaFolder, 'lib', 'ollama', `llama-quantize${executable}`);
export const wheelsFolder = path.join(ollamaFolder, 'models');

/** Written last into a folder of the cache: one without it was interrupted. */
export const finishMarker = '.complete';

/** Names of the models that the tests use; each has a Modelfile in `tests/support/ollama/modelfiles`. */
export const modelNames = ['oc-chat', 'oc-tools', 'oc-tools-native', 'oc-repeats-native', 'oc-think', 'oc-insert', 'oc-embed'];
