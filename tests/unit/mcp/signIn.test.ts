import assert from 'node:assert/strict';
import { AppError } from '../../../src/utils/errors';
import type { McpServer } from '../../../src/mcp/server/mcpServer';
import { McpBench } from './support/mcpBench';
import { SignInServers } from './support/signInServers';
import { until } from '../../support/until';

const nobody = { signal: new AbortController().signal, answer: async () => null };

describe('signing in to an MCP server', () => {
  let remote: SignInServers;
  let bench: McpBench;
  let confirmed: string[];
  let opened: string[];

  beforeEach(async () => {
    remote = new SignInServers();
    await remote.start();
    confirmed = [];
    opened = [];
    bench = window();
  });

  afterEach(async () => {
    await bench.servers.dispose();
    remote.close();
  });

  /** Creates a window whose user agrees to everything. */
  function window(written: Record<string, unknown> = {}, secrets?: Map<string, string>): McpBench {
    const made = new McpBench({ srv: { url: remote.url, ...written } });
    for (const [key, value] of secrets ?? []) made.secrets.set(key, value);
    made.person = {
      confirm: async (origin) => Promise.resolve(confirmed.push(origin) > 0),
      open: async (url) => {
        opened.push(url);
        await remote.agree(url);
        return true;
      },
      external: async (url) => Promise.resolve(url),
    };
    return made;
  }

  async function ready(of = bench): Promise<McpServer> {
    await of.ready();
    const server = of.servers.get('srv');
    assert.ok(server);
    return server;
  }

  async function signedIn(): Promise<McpServer> {
    const server = await ready();
    await bench.servers.signIn('srv');
    assert.equal(server.problem, null);
    assert.equal(server.state, 'running');
    return server;
  }

  const echo = async (server: McpServer) => (await server.call('echo', { a: 1 }, nobody)).parts;
  const answered = [{ kind: 'text', text: '{"a":1}' }];
  const refused = (words: RegExp) => (error: unknown) => error instanceof AppError && words.test(error.userMessage);
  const secret = () => [...bench.secrets.values()].join();

  it('is asked for where the server wants it: nobody else has been asked until then', async () => {
    const server = await ready();
    assert.equal(server.state, 'failed');
    assert.match(server.problem ?? '', /requires you to sign in/);
    assert.equal(server.challenge?.url, remote.url);
    assert.deepEqual(
      remote.asked.filter((one) => one !== 'POST /mcp'),
      [],
    );
  });

  it('goes through the browser, asks before a foreign address is asked, and brings the tools', async () => {
    const server = await signedIn();
    assert.deepEqual(confirmed, [remote.issuer]);
    assert.equal(opened.length, 1);
    assert.deepEqual(await echo(server), answered);
    assert.deepEqual(server.signInOrigins, [remote.issuer]);
    assert.equal(remote.forms[0]?.get('resource'), remote.url);
  });

  it('is refused where the authorization server does not announce PKCE by S256, before anything is registered or opened', async () => {
    for (const methods of [undefined, [], ['plain'], ['s256']]) {
      remote.metadata = { code_challenge_methods_supported: methods };
      await ready();
      await assert.rejects(bench.servers.signIn('srv'), refused(/PKCE/), JSON.stringify(methods));
    }
    assert.deepEqual([opened, remote.forms.length], [[], 0]);
    assert.ok(!remote.asked.includes('POST /register'));
    remote.metadata = { code_challenge_methods_supported: ['plain', 'S256'] };
    await bench.servers.signIn('srv');
    assert.equal(opened.length, 1);
  });

  it('is kept for the next window, in the secrets alone', async () => {
    await signedIn();
    const next = window({}, bench.secrets);
    try {
      assert.deepEqual(await echo(await ready(next)), answered);
      assert.equal(opened.length, 1);
    } finally {
      await next.servers.dispose();
    }
    const token = [...remote.valid][0] ?? 'none';
    assert.ok(secret().includes(token));
    assert.ok(!bench.servers.get('srv')?.log.text.includes(token));
  });

  it('is renewed in silence when the token is over, once for calls that come together', async () => {
    const server = await signedIn();
    remote.valid.clear();
    assert.deepEqual(await Promise.all([echo(server), echo(server), echo(server)]), [answered, answered, answered]);
    assert.deepEqual(
      remote.forms.map((form) => form.get('grant_type')),
      ['authorization_code', 'refresh_token'],
    );
  });

  it('takes the token that another window has renewed', async () => {
    const server = await signedIn();
    const next = window({}, bench.secrets);
    try {
      const other = await ready(next);
      remote.valid.clear();
      await echo(other);
      for (const [key, value] of next.secrets) bench.secrets.set(key, value);
      assert.deepEqual(await echo(server), answered);
      assert.equal(remote.forms.length, 2);
    } finally {
      await next.servers.dispose();
    }
  });

  it('is asked for again when it cannot be renewed: the call says so', async () => {
    const server = await signedIn();
    remote.revoke();
    await assert.rejects(echo(server), refused(/requires you to sign in/));
    assert.equal(server.state, 'failed');
    assert.ok(server.challenge);
    await bench.servers.signIn('srv');
    assert.deepEqual(await echo(server), answered);
  });

  it('stays where the renewal met a server that fails', async () => {
    const server = await signedIn();
    remote.valid.clear();
    remote.failsTokens = { status: 503, body: 'later' };
    await assert.rejects(echo(server), refused(/Could not renew the sign-in/));
    assert.equal(server.challenge, null);
    remote.failsTokens = null;
    assert.deepEqual(await echo(server), answered);
  });

  it('asks for more where a call wants more', async () => {
    const server = await signedIn();
    remote.wantedScope = 'files:write';
    await assert.rejects(echo(server), refused(/requires you to sign in/));
    assert.equal(server.challenge?.scope, 'files:write');
    await bench.servers.signIn('srv');
    assert.deepEqual(await echo(server), answered);
  });

  it('is forgotten on request', async () => {
    const server = await signedIn();
    await bench.servers.signOut('srv');
    assert.equal(bench.secrets.size, 0);
    assert.equal(server.signInOrigins, null);
    await bench.servers.start('srv');
    assert.equal(server.state, 'failed');
  });

  it('keeps nothing where the person refuses the address, or the browser', async () => {
    await ready();
    bench.person = { ...bench.person, confirm: async () => Promise.resolve(false) };
    await assert.rejects(bench.servers.signIn('srv'), refused(/You did not allow a connection/));
    assert.ok(!remote.asked.some((one) => one.includes('authorization-server')));
    bench.person = { ...bench.person, confirm: async () => Promise.resolve(true), open: async () => Promise.resolve(false) };
    await assert.rejects(bench.servers.signIn('srv'), { name: 'CancelledError' });
    assert.equal(bench.secrets.size, 0);
  });

  it('says what the authorization server says when it refuses', async () => {
    await ready();
    bench.person.open = async (url) => {
      const back = await remote.agree(url, (to) => {
        to.searchParams.delete('code');
        to.searchParams.set('error', 'access_denied');
        to.searchParams.set('error_description', 'Not today');
      });
      assert.match(await back.text(), /Sign-in was denied/);
      return true;
    };
    await assert.rejects(bench.servers.signIn('srv'), refused(/Not today/));
  });

  it('does not take a code from somebody who does not know its state, and waits on', async () => {
    await ready();
    bench.person.open = async (url) => {
      for (const state of ['', 'x'.repeat(43)]) {
        const page = await remote.agree(url, (to) => to.searchParams.set('state', state));
        assert.equal(page.status, 400);
      }
      assert.equal((await remote.agree(url)).status, 200);
      return true;
    };
    await bench.servers.signIn('srv');
    assert.equal(bench.servers.get('srv')?.state, 'running');
  });

  it('listens to nobody after it', async () => {
    await signedIn();
    const back = new URL(new URL(opened[0] ?? '').searchParams.get('redirect_uri') ?? '');
    assert.equal(back.hostname, '127.0.0.1');
    await assert.rejects(fetch(back));
  });

  for (const [what, change] of [
    [
      'pages that are not encrypted',
      (of: SignInServers) => (of.metadata = { authorization_endpoint: 'http://192.0.2.1/authorize' }),
    ],
    ['pages that are no web pages', (of: SignInServers) => (of.metadata = { authorization_endpoint: 'file:///etc/passwd' })],
    ['token addresses elsewhere', (of: SignInServers) => (of.metadata = { token_endpoint: 'http://192.0.2.1/token' })],
    ['an issuer that is another', (of: SignInServers) => (of.metadata = { issuer: 'https://issuer.example' })],
    ['an authorization server that is not encrypted', (of: SignInServers) => (of.named = ['http://192.0.2.1'])],
    ['metadata that are none', (of: SignInServers) => (of.metadata = { authorization_endpoint: 5 })],
    ['no registration, and no client', (of: SignInServers) => (of.registers = false)],
  ] as const)
    it(`fails in words for ${what}`, async () => {
      change(remote);
      await ready();
      await assert.rejects(bench.servers.signIn('srv'), (error) => error instanceof AppError && error.userMessage.length > 10);
      assert.equal(bench.secrets.size, 0);
    });

  it('uses a client that was registered by hand', async () => {
    remote.registers = false;
    await bench.servers.dispose();
    bench = window({ oauth: { clientId: 'mine', clientSecret: '${input:secret}' } });
    bench.inputs.set('secret', 'hidden');
    const server = await signedIn();
    assert.deepEqual(await echo(server), answered);
    assert.equal(remote.forms[0]?.get('client_id'), 'mine');
    assert.equal(remote.forms[0]?.get('client_secret'), 'hidden');
  });

  it('is not tried for a server whose headers say who asks', async () => {
    await bench.servers.dispose();
    bench = window({ headers: { authorization: 'Bearer wrong' } });
    const server = await ready();
    assert.equal(server.challenge, null);
    assert.match(server.problem ?? '', /401/);
  });

  it('is offered once when a run meets it', async () => {
    bench.wantsToSignIn = true;
    const server = await ready();
    await until(() => server.state === 'running');
    assert.equal(opened.length, 1);
  });
});
