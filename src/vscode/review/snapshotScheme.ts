/** URI scheme of earlier states of files. */
export const snapshotScheme = 'ollama-copilot-snapshot';
