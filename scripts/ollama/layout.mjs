import path from 'node:path';
import { cacheRoot } from '../lib/paths.mjs';

/**
 * Versions that were tested together. Ollama runs the `llama-server` of this llama.cpp version, which comes from a Python source package.
 */
export const versions = { ollama: '0.32.15', llama: '0.3.36', smollm: '0.1.2', minilm: '0.1.0', gguf: '0.19.0' };

const executable = process.platform === 'win32' ? '.exe' : '';

export const ollamaFolder = path.join(cacheRoot, `ollama-${versions.ollama}-llama-${versions.llama}`);
export const ollamaBinary = path.join(ollamaFolder, 'bin', `ollama${executable}`);
/** Engine of Ollama. `bin/ollama` looks for it in `../lib/ollama`. */
export const engineBinary = path.join(ollamaFolder, 'lib', 'ollama', `llama-server${executable}`);
export const quantizeBinary = path.join(ollamaFolder, 'lib', 'ollama', `llama-quantize${executable}`);
export const wheelsFolder = path.join(ollamaFolder, 'models');

/** Marker that is written last into a cache folder. A folder without it is incomplete. */
export const finishMarker = '.complete';

/** Names of the models that the tests use. Each has a Modelfile in `tests/support/ollama/modelfiles`. */
export const modelNames = ['oc-chat', 'oc-tools', 'oc-tools-native', 'oc-repeats-native', 'oc-think', 'oc-insert', 'oc-embed'];
