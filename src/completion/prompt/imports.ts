const importLine =
  /^\s*(import\b|from\s+\S+\s+import\b|export\s+.*\bfrom\b|(const|let|var)\s+.*=\s*require\(|#\s*include\b|using\s+[\w.]+;|use\s+[\w:\\]+|require(_relative)?\s|package\s)/;
/** Number of lines to search at the top of a file. */
const topLines = 120;

/** Returns the import lines at the top of a file. */
export function readImportLines(text: string): string {
  const lines = text.split('\n', topLines);
  return lines.filter((line) => importLine.test(line)).join('\n');
}
