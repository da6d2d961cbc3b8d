import assert from 'node:assert/strict';
import { Settings, settingDefaults, type InvalidSetting } from '../../../src/config/settings';

function settingsOf(values: Record<string, unknown>) {
  const invalid: InvalidSetting[] = [];
  const settings = new Settings({ get: (key) => values[key] }, (problem) => invalid.push(problem));
  return { settings, invalid, values };
}

describe('Settings', () => {
  it('has the documented defaults', () => {
    assert.deepEqual(settingsOf({}).settings.getConfig(), {
      baseUrl: 'http://localhost:11434',
      storagePath: '',
      contextWindow: 16000,
      modes: {
        agent: { model: '', temperature: 0.2, maxTokens: -1 },
        plan: { model: '', temperature: 0.4, maxTokens: -1 },
        ask: { model: '', temperature: 0.7, maxTokens: -1 },
        edit: { model: '', temperature: 0.2, maxTokens: -1 },
      },
      agent: {
        maxIterations: 25,
        toolTimeout: 30000,
        toolCalls: 'auto',
        usesExam: true,
        loadsTools: true,
        maxActiveSessions: 1,
        autoApproveCommands: false,
        maxContextWindow: 65536,
        sensitiveFilePatterns: {},
        keepAlive: '30m',
        explorerModel: '',
        instructionFiles: ['AGENTS.md', '.github/copilot-instructions.md', '.github/instructions', 'CLAUDE.md', '.github/agents'],
        compactionModel: '',
        sessionTitleGeneration: true,
        sessionTitleModel: '',
        disabledTools: [],
        editorTools: [],
        maxSubagents: 1,
      },
      checkpoints: {
        isEnabled: true,
        aroundCommands: true,
        maxFileBytes: 50_000_000,
        maxStorageBytes: 5_000_000_000,
        exclude: [],
      },
    });
  });

  it('keeps the sandbox off and asks for each host, whatever else is written there', () => {
    const { settings, invalid } = settingsOf({ 'agent.sandbox.network': 'all', 'agent.sandbox.allowedHosts': ['one.example'] });
    assert.deepEqual(settings.getSandboxConfig(), {
      isEnabled: false,
      network: 'ask',
      allowedHosts: ['one.example'],
      writablePaths: [],
      readDenied: [],
    });
    assert.deepEqual(
      invalid.map(({ problem }) => problem),
      ['Enter one of: none, ask.'],
    );
  });

  it('lets a tool take an hour at the most: a timer that is set for more than 24 days is over at once', () => {
    const { settings, invalid } = settingsOf({ 'agent.toolTimeout': 2 ** 31 });
    assert.equal(settings.getAgentConfig().toolTimeout, 30_000);
    assert.deepEqual(
      invalid.map(({ problem }) => problem),
      ['Enter a number of at most 3,600,000.'],
    );
    const hour = settingsOf({ 'agent.toolTimeout': 3_600_000 });
    assert.equal(hour.settings.getAgentConfig().toolTimeout, 3_600_000);
    assert.deepEqual(hour.invalid, []);
  });

  it('reads afresh on each call', () => {
    const { settings, values } = settingsOf({ 'agent.maxIterations': 3 });
    assert.equal(settings.getAgentConfig().maxIterations, 3);
    values['agent.maxIterations'] = 4;
    assert.equal(settings.getAgentConfig().maxIterations, 4);
  });

  it('replaces an invalid value by its default and reports it once, with its name', () => {
    const { settings, invalid } = settingsOf({ 'agent.maxIterations': 'many' });
    assert.equal(settings.getAgentConfig().maxIterations, 25);
    settings.getConfig();
    assert.deepEqual(
      invalid.map(({ code, setting }) => `${code} ${setting}`),
      ['settingValue ollamaCopilot.agent.maxIterations'],
    );
  });

  it('reports a second, different invalid value again', () => {
    const { settings, invalid, values } = settingsOf({ baseUrl: 'ftp://x' });
    settings.getConfig();
    values['baseUrl'] = 'localhost';
    settings.getConfig();
    assert.equal(invalid.length, 2);
  });

  it('strips trailing slashes of the address', () => {
    assert.equal(settingsOf({ baseUrl: 'http://box:1234/ollama///' }).settings.getConfig().baseUrl, 'http://box:1234/ollama');
  });

  for (const keepAlive of ['30m', '1h30m', '-1m', 0, -1, 300]) {
    it(`accepts ${JSON.stringify(keepAlive)} as keepAlive`, () => {
      assert.equal(settingsOf({ 'agent.keepAlive': keepAlive }).settings.getAgentConfig().keepAlive, keepAlive);
    });
  }

  for (const keepAlive of ['-1', '300', true, 'soon']) {
    it(`refuses ${JSON.stringify(keepAlive)} as keepAlive, which the server would refuse`, () => {
      const { settings, invalid } = settingsOf({ 'agent.keepAlive': keepAlive });
      assert.equal(settings.getAgentConfig().keepAlive, '30m');
      assert.equal(invalid.length, 1);
    });
  }

  for (const uri of [
    '',
    '/mnt/team/i.lance',
    'C:\\share\\i.lance',
    '\\\\server\\share',
    's3://bucket/i',
    'gs://b',
    'az://c/i',
    'abfss://c@a/i',
  ])
    it(`takes ${JSON.stringify(uri)} as a shared index`, () => {
      assert.equal(settingsOf({ 'search.uri': uri }).settings.getSearchConfig().sharedUri, uri);
    });

  for (const uri of ['relative/folder', 'db://cloud', 'https://server/i', 'javascript:x', 7])
    it(`refuses ${JSON.stringify(uri)} as a shared index`, () => {
      const { settings, invalid } = settingsOf({ 'search.uri': uri });
      assert.deepEqual([settings.getSearchConfig().sharedUri, invalid.length], ['', 1]);
    });

  it('gives a default for every declared setting', () => {
    assert.equal(Object.values(settingDefaults()).includes(undefined), false);
  });
});
