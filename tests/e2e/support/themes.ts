/** Themes of the pictures, by their names in the settings. */
export const themes = [
  'Default Dark Modern',
  'Default Light Modern',
  'Default High Contrast',
  'Default High Contrast Light',
] as const;
export type Theme = (typeof themes)[number];

/** Name of each theme in the theme picker, and the CSS class of the window. */
export const themeLooks: Record<Theme, { label: string; kind: string }> = {
  'Default Dark Modern': { label: 'Dark Modern', kind: 'vs-dark' },
  'Default Light Modern': { label: 'Light Modern', kind: 'vs' },
  'Default High Contrast': { label: 'Dark High Contrast', kind: 'hc-black' },
  'Default High Contrast Light': { label: 'Light High Contrast', kind: 'hc-light' },
};

/** Widths of the content of the chat view, in CSS pixels. */
export const viewWidths = [300, 420, 900] as const;
