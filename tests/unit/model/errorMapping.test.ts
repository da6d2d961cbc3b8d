import assert from 'node:assert/strict';
import { errorFromConnection, errorFromLine, errorFromResponse } from '../../../src/services/model/client/errorMapping';
import {
  AddressError,
  AuthError,
  CapabilityError,
  ConnectionError,
  ContextOverflowError,
  ModelNotFoundError,
  NoAnswerError,
  OllamaError,
  ServerBusyError,
  StreamError,
} from '../../../src/services/model/client/ollamaErrors';

const subject = { address: 'http://localhost:11434', model: 'm' };

type ErrorClass = abstract new (...parameters: never[]) => OllamaError;

/** Returns the class, code and status of an error. */
function kind(error: OllamaError): [ErrorClass, string, number | undefined] {
  return [error.constructor as ErrorClass, error.code, error.statusCode];
}

describe('Error answers', () => {
  it('tell of a call that the server could not read, of a model that has tools', () => {
    const asked = { ...subject, hasTools: true };
    const texts = [
      "error parsing tool call: raw='ls -R', err=invalid character 'l' looking for beginning of value",
      'failed to parse JSON: unexpected end of JSON input',
      'llama-server returned invalid tool call arguments for "read_file": unexpected end of JSON input',
      'failed to parse model-generated tool call: unexpected EOF',
      'XML syntax error on line 9: element <parameter> closed by </function>',
      'XML syntax error on line 115: unexpected EOF',
      'failed to parse XML: XML syntax error on line 1: element <tool_call> closed by </arg_value>',
      'expected element type <function> but have <parameter>',
      'failed to parse Laguna JSON tool call arguments: unexpected end of JSON input',
      'failed to parse function call "f(": invalid function call format',
      'invalid tool call: no opening parenthesis',
      "expected '{' in tool call",
      'mismatched arg_key and arg_value counts: 2 keys, 1 values',
      'repair failed to produce valid JSON arguments',
      "tool 'read' not found",
      'llama-server chat error: map[code:500 message:Failed to parse input at pos 12: </tool_call> type:server_error]',
    ];
    for (const text of texts) {
      assert.equal(errorFromResponse(500, JSON.stringify({ error: text }), asked).code, 'unreadableCall', text);
      assert.equal(errorFromLine(text, asked).code, 'unreadableCall', text);
      assert.equal(errorFromLine(text, subject).code, 'stream', text);
    }
    // Before a stream starts, this text means that a file on the server is damaged.
    for (const bare of [
      "invalid character ']' after object key:value pair",
      'EOF',
      'json: cannot unmarshal string into Go value',
    ]) {
      assert.equal(errorFromLine(bare, asked).code, 'unreadableCall', bare);
      assert.equal(errorFromResponse(500, JSON.stringify({ error: bare }), asked).code, 'ollama', bare);
    }
    assert.equal(errorFromLine('Post "http://127.0.0.1:1/completion": EOF', asked).code, 'stream');
    assert.equal(errorFromLine('this statement is no call', asked).code, 'stream');
    assert.equal(errorFromLine('failed to parse the weights', asked).code, 'stream');
  });

  const answers: [title: string, status: number, body: string, expected: ErrorClass, code: string][] = [
    // Responses of newer servers.
    [
      'nested JSON of an overflow',
      400,
      '{"error":"{\\"error\\":{\\"code\\":400,\\"message\\":\\"request (1432 tokens) exceeds the available context size (1024 tokens), try increasing it\\",\\"type\\":\\"exceed_context_size_error\\",\\"n_prompt_tokens\\":1432,\\"n_ctx\\":1024}}"}',
      ContextOverflowError,
      'contextOverflow',
    ],
    [
      'an overflow of a prompt without shift',
      400,
      '{"error":"the prompt is longer than the context length currently available to the model; shorten the prompt, or raise num_ctx"}',
      ContextOverflowError,
      'contextOverflow',
    ],
    [
      'an overflow of an MLX model',
      400,
      '{"error":"input length (9000 tokens) exceeds the model\'s maximum context length (8192 tokens)"}',
      ContextOverflowError,
      'contextOverflow',
    ],
    [
      'an unknown model on embed',
      404,
      '{"error":"model \\"m\\" not found, try pulling it first"}',
      ModelNotFoundError,
      'modelNotFound',
    ],
    ['an unknown model on show', 404, '{"error":"model \'m:latest\' not found"}', ModelNotFoundError, 'modelNotFound'],
    ['no model', 404, '{"error":"model \'\' not found"}', ModelNotFoundError, 'modelNotFound'],
    [
      'embeddings of a completion model',
      501,
      '{"error":"This server does not support embeddings. Start it with `--embeddings`"}',
      CapabilityError,
      'capability',
    ],
    // Responses of older servers.
    [
      'the plain text of an overflow',
      400,
      '{"error":"the input length exceeds the context length"}',
      ContextOverflowError,
      'contextOverflow',
    ],
    ['an unknown model on older servers', 404, '{"error":"model \'m\' not found"}', ModelNotFoundError, 'modelNotFound'],
    [
      'no model on older servers',
      500,
      '{"error":"unqualified name: registry.ollama.ai/library/"}',
      ModelNotFoundError,
      'modelNotFound',
    ],
    [
      'a think value that is too new',
      400,
      '{"error":"invalid think value: \\"max\\" (must be \\"high\\", \\"medium\\", \\"low\\", true, or false)"}',
      OllamaError,
      'ollama',
    ],
    // Responses of newer and older servers.
    ['no model in a chat', 400, '{"error":"model is required"}', ModelNotFoundError, 'modelNotFound'],
    ['a model without chat', 400, '{"error":"\\"m\\" does not support chat"}', CapabilityError, 'capability'],
    ['a model without generate', 400, '{"error":"\\"m\\" does not support generate"}', CapabilityError, 'capability'],
    ['a model without thinking', 400, '{"error":"\\"m\\" does not support thinking"}', CapabilityError, 'capability'],
    [
      'a model without tools',
      400,
      '{"error":"registry.ollama.ai/library/m:latest does not support tools"}',
      CapabilityError,
      'capability',
    ],
    [
      'a model without insert',
      400,
      '{"error":"registry.ollama.ai/library/m:latest does not support insert"}',
      CapabilityError,
      'capability',
    ],
    [
      'raw with a template, which is not about the model',
      400,
      '{"error":"raw mode does not support template, system, or context"}',
      OllamaError,
      'ollama',
    ],
    [
      'sign-in at ollama.com',
      401,
      '{"error":"unauthorized","signin_url":"https://ollama.com/connect?name=a"}',
      AuthError,
      'signIn',
    ],
    ['a proxy that wants a token', 401, '<html>401 Authorization Required</html>', AuthError, 'auth'],
    ['an empty 401', 401, '', AuthError, 'auth'],
    ['the guard for Host and Origin', 403, '', AddressError, 'address'],
    [
      'cloud switched off',
      403,
      '{"error":"ollama cloud is disabled: remote model is unavailable"}',
      CapabilityError,
      'capability',
    ],
    ['a proxy that denies access', 403, '<html>403 Forbidden</html>', AuthError, 'auth'],
    ['a path that Ollama does not know', 404, '404 page not found', AddressError, 'address'],
    ['a method that Ollama does not know', 405, '405 method not allowed', AddressError, 'address'],
    [
      'a limit of the cloud through an alias',
      429,
      '{"StatusCode":429,"Status":"429 Too Many Requests","error":"too many requests"}',
      ServerBusyError,
      'serverBusy',
    ],
    ['a wrong type of option', 500, '{"error":"option \\"num_ctx\\" must be of type integer"}', OllamaError, 'ollama'],
    ['a cloud that cannot be reached', 502, '{"error":"dial tcp: lookup ollama.com: no such host"}', OllamaError, 'ollama'],
    ['a proxy without Ollama behind it', 502, '<html>502 Bad Gateway</html>', OllamaError, 'ollama'],
    [
      'a full queue',
      503,
      '{"error":"server busy, please try again.  maximum pending requests exceeded"}',
      ServerBusyError,
      'serverBusy',
    ],
  ];

  for (const [title, status, body, expected, code] of answers) {
    it(`${status}, ${title}: ${code}`, () => {
      assert.deepEqual(kind(errorFromResponse(status, body, subject)), [expected, code, status]);
    });
  }

  const overflow = (body: string) => {
    const error = errorFromResponse(400, body, subject);
    assert.ok(error instanceof ContextOverflowError);
    return [error.promptTokens, error.contextWindow];
  };

  it('tells the counts of an overflow where the server does', () => {
    assert.deepEqual(overflow(answers[0]?.[2] ?? ''), [1432, 1024]);
    assert.deepEqual(overflow(answers[2]?.[2] ?? ''), [9000, 8192]);
    const inner = { code: 400, message: 'too long', type: 'exceed_context_size_error', n_prompt_tokens: 5, n_ctx: 4 };
    assert.deepEqual(overflow(JSON.stringify({ error: JSON.stringify({ error: inner }) })), [5, 4]);
    assert.deepEqual(overflow('{"error":"the input length exceeds the context length"}'), [undefined, undefined]);
  });

  it('says in plain words what happened and what to do', () => {
    const said = answers.map(([title, status, body]) => [title, errorFromResponse(status, body, subject).userMessage] as const);
    for (const [title, message] of said) {
      assert.match(message, /^[A-Z“h].*[.!]$/, title);
      assert.match(
        message,
        /Choose|choose|Set|Start|Try|try|Check|Run|install|Wait|Use|check that/,
        `${title} tells what to do: ${message}`,
      );
      assert.doesNotMatch(message, /undefined|\{|\}/, title);
    }
    assert.equal(
      said[0]?.[1],
      'This chat needs 1,432 tokens, but the model’s context window is 1,024. Start a new chat, shorten the message, or increase the context window in the settings.',
    );
  });

  it('names the missing capability in Ollama’s word', () => {
    const capability = (status: number, text: string) => {
      const error = errorFromResponse(status, JSON.stringify({ error: text }), subject);
      assert.ok(error instanceof CapabilityError);
      return error.capability;
    };
    assert.equal(capability(400, 'registry.ollama.ai/library/m:latest does not support tools'), 'tools');
    assert.equal(capability(501, 'This server does not support embeddings. Start it with `--embeddings`'), 'embeddings');
    assert.equal(capability(500, 'this model is missing data required for image input'), 'vision');
  });

  it('leads a cloud model to the sign-in and anything else to the token', () => {
    const cloud = errorFromResponse(401, '{"error":"unauthorized","signin_url":"https://ollama.com/connect?name=a"}', subject);
    assert.ok(cloud instanceof AuthError);
    assert.equal(cloud.signInUrl, 'https://ollama.com/connect?name=a');
    assert.match(cloud.userMessage, /ollama signin/);
    const named = errorFromResponse(401, '{"error":"unauthorized"}', { ...subject, model: 'gpt-oss:120b-cloud' });
    assert.match(named.userMessage, /ollama signin/);
    assert.match(errorFromResponse(401, '', subject).userMessage, /access token/);
  });

  it('explains memory and crashes without the server’s words', () => {
    const said = (text: string) => errorFromResponse(500, JSON.stringify({ error: text }), subject).userMessage;
    assert.match(
      said('model requires more system memory (9.1 GiB) than is available (3.0 GiB)'),
      /not enough memory for the model “m”/,
    );
    assert.match(said('llama-server process has terminated: signal: killed'), /The model “m” stopped unexpectedly/);
    assert.match(said('timed out waiting for llama-server to start - '), /took too long/);
  });

  it('shortens a long text of the server', () => {
    const error = errorFromResponse(500, JSON.stringify({ error: 'x'.repeat(10_000) }), subject);
    assert.ok(error.userMessage.length < 500);
  });

  it('reads errors of the form {"error": {"message"}}', () => {
    const error = errorFromResponse(
      400,
      '{"error":{"message":"\\"m\\" does not support chat","type":"invalid_request_error"}}',
      subject,
    );
    assert.ok(error instanceof CapabilityError);
  });
});

describe('Error lines', () => {
  const lines: [text: unknown, expected: ErrorClass][] = [
    ['pull model manifest: file does not exist', ModelNotFoundError],
    ['registry.ollama.ai/library/m:latest does not support tools', CapabilityError],
    ['the input length exceeds the context length', ContextOverflowError],
    [
      'llama-server chat error: map[code:400 message:request (1432 tokens) exceeds the available context size (1024 tokens), try increasing it n_ctx:1024 n_prompt_tokens:1432 type:exceed_context_size_error]',
      ContextOverflowError,
    ],
    ['unauthorized', AuthError],
    ['server busy, please try again.  maximum pending requests exceeded', ServerBusyError],
    ['llama-server chat error: map[code:500 message:Failed to parse input at pos 0]', StreamError],
    ['an error was encountered while running the model', StreamError],
    [{ message: 'in an object' }, StreamError],
    [{}, StreamError],
    [null, StreamError],
    ['', StreamError],
  ];
  for (const [text, expected] of lines) {
    it(`${JSON.stringify(text).slice(0, 60)} becomes ${expected.name}`, () => {
      const error = errorFromLine(text, subject);
      assert.equal(error.constructor, expected);
      assert.equal(error.statusCode, undefined);
      if (error instanceof StreamError) assert.equal(error.reason, 'server');
    });
  }

  it('say that there is no such model to install', () => {
    const error = errorFromLine('pull model manifest: file does not exist', subject);
    assert.equal(error.userMessage, 'The model “m” was not found. Check the name.');
  });
});

describe('Connection failures', () => {
  const words: [code: string, expected: RegExp][] = [
    ['ECONNREFUSED', /^Ollama does not respond at http:\/\/localhost:11434\. Start Ollama, or change the server address\.$/],
    ['ENOTFOUND', /could not be resolved/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /certificate .* is not trusted/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /certificate .* is not trusted/],
    ['ECONNRESET', /closed the connection without a response/],
  ];
  it('tell nothing that listens from every other reason', () => {
    const isSilent = (code: string) =>
      errorFromConnection(Object.assign(new Error('low level'), { code }), 'http://localhost:11434') instanceof NoAnswerError;
    assert.deepEqual(
      words.map(([code]) => isSilent(code)),
      [true, false, false, false, false],
    );
  });

  for (const [code, expected] of words) {
    it(`say what ${code} means`, () => {
      const cause = Object.assign(new Error('low level'), { code });
      const error = errorFromConnection(cause, subject.address);
      assert.ok(error instanceof ConnectionError);
      assert.match(error.userMessage, expected);
      assert.equal(error.cause, cause);
    });
  }

  it('read the code inside an aggregate', () => {
    const refused = Object.assign(new Error('refused'), { code: 'ENOTFOUND' });
    assert.match(errorFromConnection(new AggregateError([refused]), subject.address).message, /ENOTFOUND/);
  });
});
