/** URI scheme of files without their pending changes. The manifest uses it too. */
export const baseScheme = 'ollama-copilot-base';
