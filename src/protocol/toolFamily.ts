/** What kind of work a tool does: calls of one kind stand together. */
export type ToolFamily = 'read' | 'edit' | 'command' | 'search' | 'other';

export function toolFamily(name: string): ToolFamily {
  switch (name) {
    case 'read_file':
      return 'read';
    case 'create_file':
    case 'write_file':
    case 'replace_in_file':
    case 'delete_file':
    case 'rename_file':
      return 'edit';
    case 'run_terminal_command':
    case 'get_terminal_output':
      return 'command';
    case 'list_files':
    case 'find_files':
    case 'search_workspace':
    case 'search_codebase':
      return 'search';
    default:
      return 'other';
  }
}
