/** Tool that shows the model how to use tools that a request does not declare in full. */
export const loadTools = 'load_tools';
/** Tool that runs such a tool: `{name, arguments}`. */
export const callTool = 'call_tool';
