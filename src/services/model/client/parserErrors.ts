/**
 * Matches errors of Ollama's tool call parsers and of its engine
 * (ollama/ollama#12884, #14492 and #18563, ggml-org/llama.cpp#20761).
 */
const parserError = new RegExp(
  [
    /invalid tool call|no tool calls? found|incomplete GLM tool call|pars\w+ (?:model-generated )?tool.?calls?/,
    /failed to parse (?:json|xml|laguna|function call|arguments|value for|input at pos)|parse Glimmer call|\bATEM\b/,
    /XML syntax error on line|expected element type <|expected 'call:' prefix|in tool call$/,
    /empty (?:function|argument) name|invalid function call format|invalid argument(?: format)?: |mismatched arg_key/,
    /failed to produce valid JSON arguments|required argument "[^"]*" is missing|undeclared Glimmer function/,
    /^tool (?:'[^']*' not found|"[^"]*" is not declared)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
/**
 * Matches errors of these parsers that have no context and occur in the middle of a response (ollama/ollama#17647 and #14986).
 * Before a response, these errors have other causes.
 */
const bareParserError =
  /^(?:invalid character '|unexpected end of JSON input|json: cannot unmarshal|unterminated string|(?:unexpected )?EOF$|invalid format$)/;

/** Returns whether the server reports that it could not parse a tool call. */
export function isParserError(text: string): boolean {
  return parserError.test(text);
}

/** Returns whether an error in the middle of a response contains only the text of a parser error. */
export function isBareParserError(text: string): boolean {
  return bareParserError.test(text);
}
