import { createHash } from 'node:crypto';
import { failure } from '../../agent/tools/kernel/toolFailure';
import type { Tool, ToolContext, ToolResult } from '../../agent/tools/kernel/tool';
import type { ApprovalQuestion } from '../../agent/kernel/approvalQuestion';
import { maxImageBytes, type ImageRef } from '../../protocol/context/imageRef';
import { imageHeader } from '../../utils/imageHeader';
import { t } from '../../utils/l10n';
import type { McpServer } from '../server/mcpServer';
import type { CallResult, ListedTool, ResultPart } from '../server/serverConnection';
import { answerForm } from './answerForm';
import { cleanLine } from './cleanText';
import { externalTool, shownArguments } from './externalTool';
import { resultText } from './resultText';

const maxDescription = 600;

/** Makes a tool of an MCP server available to the agent. Each call needs approval, and its result is plain text. */
export function mcpTool(server: McpServer, listed: ListedTool, name: string): Tool {
  const { inputSchema, claims } = listed;
  const title = cleanLine(listed.title === '' ? listed.name : listed.title, 80);
  const offered = createIdentity(server, listed);
  return externalTool({
    name,
    description: cleanLine(`${title}: ${listed.description} [MCP server ${server.name}]`, maxDescription),
    schema: inputSchema,
    // The claim only decides whether the workspace is compared before and after the call. Approval is needed in any case.
    effect: claims.readOnly ? 'outside' : 'command',
    question: (input) => {
      const present = server.tools.find((tool) => tool.name === listed.name);
      const isChanged = present !== undefined && createIdentity(server, present) !== offered;
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
    const shown = images.size > 0 ? { images: [...images.values()] } : {};
    if (!result.isError) return { status: 'success', content, ...shown };
    const local = t('The server {0} reported an error.', cleanLine(server.name, 60));
    return { ...failure({ local, english: content }), display: content, ...shown };
  }
}

/** Maximum number of images in one result. */
const maxImages = 8;

/** Stores the images of a result if their actual format is readable by a model. */
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
 * Returns the ID of a session permission for exactly this tool and this server configuration. No folder has such a name,
 * so a permission for a command never applies to a tool.
 */
function createGrant(server: McpServer, tool: ListedTool): string {
  return `\0tool:${createIdentity(server, tool)}`;
}

function createIdentity({ config }: McpServer, tool: ListedTool): string {
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
    cwd: createGrant(server, tool),
    reasons: [
      ...(isChanged ? [t('the server has changed the description of this tool')] : []),
      ...listClaims(tool),
      ...describeReach(server),
    ],
    tool: {
      origin: cleanLine(server.name, 60),
      name: cleanLine(tool.name, 120),
      arguments: shownArguments(input),
      description: cleanLine(tool.description, maxDescription),
    },
    canAllowAlways: true,
  };
}

/** Returns the server's claims about a tool, marked as claims. */
function listClaims({ claims }: ListedTool): string[] {
  const said = [
    ...(claims.readOnly ? [t('read-only')] : []),
    ...(claims.destructive === true ? [t('may delete or overwrite data')] : []),
    ...(claims.destructive === false && !claims.readOnly ? [t('does not delete or overwrite anything')] : []),
    ...(claims.idempotent ? [t('safe to repeat')] : []),
    ...(claims.openWorld === true ? [t('contacts external systems')] : []),
  ];
  return said.length === 0
    ? [t('the server does not say whether this tool changes anything')]
    : [t('unverified information from the server: {0}', said.join(', '))];
}

function describeReach({ config: { reach } }: McpServer): string[] {
  return reach.kind === 'http' ? [t('sends data to {0}', readOrigin(reach.url))] : [t('runs a program on this computer')];
}

function readOrigin(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return cleanLine(url, 100);
  }
}
