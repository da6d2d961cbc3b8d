/** The themes that pictures are made in, by the name that settings know them by. */
export const themes = [
  'Default Dark Modern',
  'Default Light Modern',
  'Default High Contrast',
  'Default High Contrast Light',
] as const;
export type Theme = (typeof themes)[number];

/** What the theme picker calls a theme, and the class that the window has in it. */
export const themeLooks: Record<Theme, { label: string; kind: string }> = {
  'Default Dark Modern': { label: 'Dark Modern', kind: 'vs-dark' },
  'Default Light Modern': { label: 'Light Modern', kind: 'vs' },
  'Default High Contrast': { label: 'Dark High Contrast', kind: 'hc-black' },
  'Default High Contrast Light': { label: 'Light High Contrast', kind: 'hc-light' },
};

/** Of the chat view inside, in CSS pixels. */
export const viewWidths = [300, 420, 900] as const;
