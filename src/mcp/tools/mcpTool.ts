import { createHash } from 'node:crypto';
import type { Tool, ToolContext, ToolResult } from '../../agent/tools/kernel/tool';
import type { ApprovalQuestion } from '../../agent/kernel/approvalQuestion';
import { maxImageBytes, type ImageRef } from '../../protocol/context/imageRef';
import { imageHeader } from '../../utils/imageHeader';
import { t } from '../../utils/l10n';
import type { McpServer } from '../server/mcpServer';
import type { CallResult, ListedTool, ResultPart } from '../server/serverConnection';
import { answerForm } from './answerForm';
import { cleanLine } from './cleanText';
import { foreignTool, shownArguments } from './foreignTool';
import { resultText } from './resultText';

const maxDescription = 600;

/** Makes a tool of the agent of one that a server offers: each call is asked about, and its result is only text. */
export function mcpTool(server: McpServer, listed: ListedTool, name: string): Tool {
  const { inputSchema, claims } = listed;
  const title = cleanLine(listed.title === '' ? listed.name : listed.title, 80);
  const offered = identityOf(server, listed);
  return foreignTool({
    name,
    description: cleanLine(`${title}: ${listed.description} [MCP server ${server.name}]`, maxDescription),
    schema: inputSchema,
    // What it claims decides no more than whether the workspace is looked at before and after: that is asked about all the same.
    effect: claims.readOnly ? 'outside' : 'command',
    question: (input) => {
      const present = server.tools.find((tool) => tool.name === listed.name);
      const isChanged = present !== undefined && identityOf(server, present) !== offered;
      return questionAbout(server, present ?? listed, name, input, isChanged);
    },
    files: () => server.files(),
    call,
  });

  async function call(input: Record<string, unknown>, context: ToolContext): Promise<ToolResult> {
    const answer = answerForm(server.name, context);
    const result = await server.call(listed.name, input, { signal: context.signal, answer });
    const images = await keptImages(result, context);
    const content = resultText(result, server.name, new Set(images.keys()));
    return {
      ...{ status: result.isError ? 'error' : 'success', content },
      ...(images.size > 0 && { images: [...images.values()] }),
    };
  }
}

/** Images of one result that are kept at the most. */
const maxImages = 8;

/** Keeps the images of a result that a model can be shown, whatever their server says they are. */
async function keptImages({ parts }: CallResult, context: ToolContext): Promise<Map<ResultPart, ImageRef>> {
  const kept = new Map<ResultPart, ImageRef>();
  for (const part of parts) {
    if (part.kind !== 'image' || part.data === undefined || part.bytes > maxImageBytes || kept.size >= maxImages) continue;
    const bytes = Buffer.from(part.data, 'base64');
    if (imageHeader(bytes) !== null) kept.set(part, await context.keepImage(bytes));
  }
  return kept;
}

/**
 * Returns what a permission for a session is about: this very tool, as its server describes it, of a server that is started or reached in
 * this very way. No folder has such a name, so a permission for a command is never one for a tool.
 */
function grantOf(server: McpServer, tool: ListedTool): string {
  return `\0tool:${identityOf(server, tool)}`;
}

function identityOf({ config }: McpServer, tool: ListedTool): string {
  return createHash('sha256')
    .update(JSON.stringify([config, tool]))
    .digest('hex');
}

function questionAbout(
  server: McpServer,
  tool: ListedTool,
  name: string,
  input: Record<string, unknown>,
  isChanged: boolean,
): ApprovalQuestion {
  return {
    kind: 'tool',
    command: name,
    cwd: grantOf(server, tool),
    reasons: [...(isChanged ? [t('its server describes it in another way by now')] : []), ...claimsOf(tool), ...reachOf(server)],
    tool: {
      origin: cleanLine(server.name, 60),
      name: cleanLine(tool.name, 120),
      arguments: shownArguments(input),
      description: cleanLine(tool.description, maxDescription),
    },
    canAllowAlways: true,
  };
}

/** Returns what a server claims of a tool, said to be a claim. */
function claimsOf({ claims }: ListedTool): string[] {
  const said = [
    ...(claims.readOnly ? [t('only reads')] : []),
    ...(claims.destructive === true ? [t('destroys')] : []),
    ...(claims.destructive === false && !claims.readOnly ? [t('destroys nothing')] : []),
    ...(claims.idempotent ? [t('may be repeated')] : []),
    ...(claims.openWorld === true ? [t('reaches the outside')] : []),
  ];
  return said.length === 0 ? [t('the server claims nothing of it')] : [t('the server claims, unproved: {0}', said.join(', '))];
}

function reachOf({ config: { reach } }: McpServer): string[] {
  return reach.kind === 'http' ? [t('goes to {0}', originOf(reach.url))] : [t('runs a program on this machine')];
}

function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return cleanLine(url, 100);
  }
}
