const month = '(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*';
const timeOfDay = String.raw`\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[ap]m)?`;

/**
 * Patterns of text that varies without a real change. All other text counts, such as
 * numbers without a time unit, positions (`a.ts:3:14`), sizes, percentages and versions.
 */
const varying: readonly [pattern: RegExp, instead: string][] = [
  // 2026-01-31, with or without 12:34:56.789Z; 31/01/2026; Sat Jan 31 (12:34:56) 2026; 31 January 2026.
  [
    new RegExp(
      String.raw`\b\d{4}[-/]\d{2}[-/]\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?(?:z\b| ?[+-]\d{2}:?\d{2}\b)?`,
      'gi',
    ),
    '<date>',
  ],
  [/\b\d{1,2}[./]\d{1,2}[./]\d{4}\b/g, '<date>'],
  [new RegExp(String.raw`\b${month}\.? +\d{1,2},?(?: ${timeOfDay})?(?: [a-z]{3,4})? \d{4}\b`, 'gi'), '<date>'],
  [new RegExp(String.raw`\b\d{1,2}\.? ${month}\.?,? \d{4}\b`, 'gi'), '<date>'],
  [/\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b,? (?=<date>)/gi, ''],
  // 12:34:56, but not after a colon, because positions have this form.
  [new RegExp(String.raw`(?<![\w:.])${timeOfDay}(?![\w:])`, 'gi'), '<time>'],
  // 1.2s, 12 ms, 3 seconds, 1m 2.5s, 1m2s.
  [
    /(?<![\w.,:-])(?:\d+ ?h(?:ours?)? ?)?(?:\d+ ?m(?:in(?:utes?)?)? ?)?\d+(?:[.,]\d+)? ?(?:ns|µs|μs|us|ms|s|sec|secs|seconds?|milliseconds?)(?![\w-])/gi,
    '<duration>',
  ],
  [/(?<![\w.,:-])\d+(?:[.,]\d+)? ?(?:min|mins|minutes?|hours?)(?![\w-])/gi, '<duration>'],
  // pid 123, PID: 123, (node:123), ==123==.
  [/\b(pid|process id|tid|thread id)([ :=#]{1,3})\d+/gi, '$1$2<n>'],
  [/\(node:\d+\)/g, '(node:<n>)'],
  [/^==\d+==/gm, '==<n>=='],
  // Pointers, which are longer than error codes, and ephemeral ports.
  [/\b0x[0-9a-f]{9,16}\b/gi, '<address>'],
  [/\b(localhost|127\.0\.0\.1|\[::1\]):[3-6]\d{4}\b/g, '$1:<n>'],
  // First path segment in a temporary folder. The segments below it are compared unchanged.
  [/((?:\/var)?\/tmp\/|\/var\/folders\/\w+\/\w+\/T\/|\\Temp\\)[^\s/\\'"`:;,()<>[\]]+/gi, '$1<name>'],
  [/\bpytest-\d+(?=[/\\])/g, 'pytest-<n>'],
];

/** Replaces the varying parts of a result. Two results with the same normalized text are considered equal. */
export function normalizeForLoopDetection(text: string): string {
  return varying.reduce((steady, [pattern, instead]) => steady.replace(pattern, instead), text);
}
