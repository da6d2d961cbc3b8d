/** Tool that shows the model how to use tools that a request does not declare completely. */
export const loadTools = 'load_tools';
/** Tool that runs a loaded tool: `{name, arguments}`. */
export const callTool = 'call_tool';
