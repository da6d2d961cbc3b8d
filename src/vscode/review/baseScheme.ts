/** URI scheme of files without their pending changes; also used in the manifest. */
export const baseScheme = 'ollama-copilot-base';
