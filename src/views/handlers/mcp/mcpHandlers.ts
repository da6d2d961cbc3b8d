import * as vscode from 'vscode';
import type { Tool } from '../../../agent/tools/kernel/tool';
import type { ToolRegistry } from '../../../agent/tools/kernel/toolRegistry';
import { definitionParts } from '../../../mcp/config/definition';
import { reachText } from '../../../mcp/config/serverConfig';
import { cleanLine } from '../../../mcp/tools/cleanText';
import { askForPrompt } from '../../../vscode/mcp/askForPrompt';
import { importServers } from '../../../vscode/mcp/importServers';
import type { McpServers } from '../../../mcp/mcpServers';
import type { HostApi } from '../../../protocol/hostApi';
import type { McpState } from '../../../protocol/requests/mcpRequests';
import { noResult } from '../../noResult';
import { estimatedTokens } from '../../../types/tokenLength';

type McpApi = Pick<
  HostApi,
  'listTools' | 'listMcpServers' | 'actOnMcpServer' | 'allowMcpFile' | 'readMcpPrompt' | 'importMcpServers' | 'setToolOn'
>;

export function mcpHandlers(mcp: McpServers, registry: Pick<ToolRegistry, 'all'>): McpApi {
  return {
    listTools: () =>
      Promise.resolve({
        tools: registry.all().map(({ tool, isOn }) => ({ name: tool.name, title: tool.name, isOn, tokens: toolTokens(tool) })),
      }),
    listMcpServers: async () => {
      await mcp.refresh();
      return mcpState(mcp);
    },
    actOnMcpServer: noResult(({ name, action }) => (action === 'log' ? showLog(mcp, name) : mcp[action](name))),
    setToolOn: noResult(({ name, isOn }) => mcp.setOn(name, isOn)),
    readMcpPrompt: async ({ server, name }) => ({ text: await askForPrompt(mcp, server, name) }),
    importMcpServers: noResult(async () => {
      await importServers(mcp.servers.map((server) => server.name));
      await mcp.refresh();
    }),
    allowMcpFile: noResult(async ({ path, hash }) => {
      const file = mcp.waiting.find((one) => one.path === path && one.hash === hash);
      if (file !== undefined) await mcp.allow(file, true);
    }),
  };
}

/** Estimates the tokens of a tool's definition in the prompt. */
export function toolTokens(tool: Pick<Tool, 'wire'>): number {
  return estimatedTokens(JSON.stringify(tool.wire));
}

export function mcpState(mcp: McpServers): McpState {
  const offered = mcp.offered();
  return {
    servers: mcp.servers.map((server) => ({
      name: server.name,
      origin: server.config.origin,
      state: server.state,
      problem: server.problem,
      warnings: [...server.warnings],
      reach: reachText(server.config),
      address: server.config.reach.kind === 'http' ? server.config.reach.url : null,
      signIn: server.challenge !== null ? 'needed' : server.signInOrigins !== null ? 'done' : 'none',
      signInOrigins: [...(server.signInOrigins ?? [])],
      isSandboxed: server.config.reach.kind === 'stdio' && server.config.reach.sandbox === true,
      tools: offered.flatMap(({ server: its, tool, listed }) =>
        its === server ? [{ name: tool.name, title: listed.name, tokens: toolTokens(tool), isOn: mcp.isOn(tool.name) }] : [],
      ),
    })),
    prompts: mcp.prompts().map(({ server, prompt, command }) => ({
      command,
      server: server.name,
      name: prompt.name,
      about: cleanLine(prompt.description || prompt.name, 120),
    })),
    waiting: mcp.waiting.map(({ path, hash, servers, environment }) => ({
      path,
      hash,
      environment: [...environment],
      servers: servers.map(({ name, reach }) => ({ name, parts: definitionParts({ reach, folder: null }) })),
    })),
    problems: [...mcp.problems],
  };
}

async function showLog(mcp: McpServers, name: string): Promise<void> {
  const content = mcp.get(name)?.log.text;
  if (content === undefined) return;
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language: 'log' }));
}
