import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseJsonFile } from './looseJsonFile';
import { readServerFile } from './serverConfig';
import { readableText } from '../../utils/text/textFile';

export interface FoundServer {
  name: string;
  program: string;
  file: string;
  /** Value for the setting `mcp.servers`. */
  value: Record<string, unknown>;
}

/** Folders that contain the settings of other programs. */
export interface ProgramFolders {
  home: string;
  /** `%APPDATA%`, `~/Library/Application Support` or `~/.config`. */
  settings: string;
}

export function otherFiles({ home, settings }: ProgramFolders): { program: string; file: string }[] {
  const extensions = path.join(settings, 'Code', 'User', 'globalStorage');
  return [
    { program: 'VS Code', file: path.join(settings, 'Code', 'User', 'mcp.json') },
    { program: 'Claude Code', file: path.join(home, '.claude.json') },
    { program: 'Claude Desktop', file: path.join(settings, 'Claude', 'claude_desktop_config.json') },
    { program: 'Cursor', file: path.join(home, '.cursor', 'mcp.json') },
    { program: 'Windsurf', file: path.join(home, '.codeium', 'windsurf', 'mcp_config.json') },
    { program: 'Gemini CLI', file: path.join(home, '.gemini', 'settings.json') },
    { program: 'LM Studio', file: path.join(home, '.lmstudio', 'mcp.json') },
    { program: 'Cline', file: path.join(extensions, 'saoudrizwan.claude-dev', 'settings', 'cline_mcp_settings.json') },
    { program: 'Roo Code', file: path.join(extensions, 'rooveterinaryinc.roo-cline', 'settings', 'mcp_settings.json') },
  ];
}

/** Reads the servers in these files. Skips files that cannot be read. */
export async function findServers(files: readonly { program: string; file: string }[]): Promise<FoundServer[]> {
  const found: FoundServer[] = [];
  for (const { program, file } of files) {
    const bytes = await readFile(file).catch(() => null);
    const text = bytes && readableText(bytes);
    if (text !== null) found.push(...serversIn(text).map((one) => ({ ...one, program, file })));
  }
  return found;
}

function serversIn(text: string): Pick<FoundServer, 'name' | 'value'>[] {
  try {
    return readServerFile(parseJsonFile(text), 'settings').servers.map(({ name, reach }) => ({
      name,
      // Omit empty fields.
      value: Object.fromEntries(
        Object.entries(reach).filter(([key, value]) => key !== 'kind' && value !== null && !isEmpty(value)),
      ),
    }));
  } catch {
    return [];
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
