/** What models call the tools they know from elsewhere, in plain letters. Arguments have their own other spellings. */
const otherNames: Readonly<Record<string, string>> = {
  read: 'read_file',
  openfile: 'read_file',
  viewfile: 'read_file',
  getfilecontents: 'read_file',
  readfilecontents: 'read_file',
  listdir: 'list_files',
  listdirectory: 'list_files',
  ls: 'list_files',
  glob: 'find_files',
  filesearch: 'find_files',
  grep: 'search_workspace',
  grepsearch: 'search_workspace',
  searchfiles: 'search_workspace',
  ripgrep: 'search_workspace',
  writetofile: 'write_file',
  runcommand: 'run_terminal_command',
  runinterminal: 'run_terminal_command',
  runterminalcmd: 'run_terminal_command',
  executecommand: 'run_terminal_command',
  terminal: 'run_terminal_command',
  shell: 'run_terminal_command',
  bash: 'run_terminal_command',
};

/**
 * The tool that is meant by a name: the very name, else one that differs in case, signs or a prefix such as `functions.`, else what
 * other programs call it. undefined where no tool, or more than one, could be meant.
 */
export function toolNamed(name: string, tools: readonly string[]): string | undefined {
  if (tools.includes(name)) return name;
  const letters = lettersOf(name);
  const alike = tools.filter((tool) => lettersOf(tool) === letters);
  if (alike.length > 0) return alike.length === 1 ? alike[0] : undefined;
  const other = Object.hasOwn(otherNames, letters) ? otherNames[letters] : undefined;
  return other !== undefined && tools.includes(other) ? other : undefined;
}

function lettersOf(name: string): string {
  return name
    .replace(/^(?:default_api|functions?|tools?)[.:/]/i, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}
