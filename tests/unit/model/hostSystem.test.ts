import assert from 'node:assert/strict';
import { release } from 'node:os';
import { defaultGateway, hostSystem, isWsl } from '../../../src/services/model/catalogue/hostSystem';

describe('the system that the extension runs on', () => {
  it('is told, with the address of Windows only in WSL', async () => {
    const { system, windowsHost } = await hostSystem();
    const names: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'mac', win32: 'windows' };
    const own = names[process.platform] ?? 'other';
    assert.equal(system, own === 'linux' && isWsl(release()) ? 'wsl' : own);
    if (system !== 'wsl') assert.equal(windowsHost, null);
  });

  it('is WSL by the name of its kernel', () => {
    assert.equal(isWsl('5.15.167.4-microsoft-standard-WSL2'), true);
    assert.equal(isWsl('4.4.0-19041-Microsoft'), true);
    assert.equal(isWsl('6.1.0-21-amd64'), false);
  });

  it('finds the way out among the routes', () => {
    const head = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n';
    const local = 'eth0\t0020F0AC\t00000000\t0001\t0\t0\t0\t00F0FFFF\t0\t0\t0\n';
    const out = 'eth0\t00000000\t0120F0AC\t0003\t0\t0\t0\t00000000\t0\t0\t0\n';
    assert.equal(defaultGateway(head + local + out), '172.240.32.1');
    assert.equal(defaultGateway(head + local), null);
    assert.equal(defaultGateway(`${head}eth0\t00000000\tnonsense`), null);
    assert.equal(defaultGateway(''), null);
  });
});
