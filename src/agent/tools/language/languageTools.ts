import type { Tool } from '../kernel/tool';
import { callHierarchyTool, typeHierarchyTool } from './hierarchies';
import { hoverInfoTool } from './hoverInfo';
import type { LanguageServices } from './languageTool';
import { relationTool } from './relations';
import { documentSymbolsTool, findSymbolTool } from './symbolLists';

/** Returns the tools that use language extensions, in the order of the prompt. */
export function languageTools(services: LanguageServices): Tool[] {
  return [
    documentSymbolsTool(services),
    findSymbolTool(services),
    relationTool(services, 'definition'),
    relationTool(services, 'references'),
    relationTool(services, 'implementations'),
    hoverInfoTool(services),
    callHierarchyTool(services),
    typeHierarchyTool(services),
  ];
}
