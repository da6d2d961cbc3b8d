/** Scheme of the addresses of files without the changes that wait; the manifest names it too. */
export const baseScheme = 'ollama-copilot-base';
