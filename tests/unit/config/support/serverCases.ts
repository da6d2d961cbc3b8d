import type { Places } from './settingPlaces';

/** Answers by address, as displayed in the question. */
export type Answers = Readonly<Record<string, boolean>>;

/**
 * Addresses: configured values, the user's answers, the address that receives requests, and the address in
 * the question (null: no question).
 */
export type ServerCase = readonly [places: Places, answers: Answers, inForce: string, asked: string | null];

const own = 'http://gpu:11434';
const evil = 'http://evil.example:80';
const shown = 'http://evil.example';
const local = 'http://localhost:11434';

export const serverCases: readonly ServerCase[] = [
  [{}, {}, local, null],
  [{ user: own }, {}, own, null],
  [{ user: own, workspace: own }, {}, own, null],
  [{ user: own, workspace: `${own}/` }, {}, own, null],
  [{ user: own, workspace: 'HTTP://GPU:11434' }, {}, own, null],
  [{ workspace: evil }, {}, local, shown],
  [{ user: own, workspace: evil }, {}, own, shown],
  [{ user: own, workspace: evil }, { [shown]: false }, own, null],
  [{ user: own, workspace: evil }, { [shown]: true }, evil, null],
  [{ workspace: evil }, { [shown]: true }, evil, null],
  [{ user: own, workspace: `${evil}/v2` }, { [shown]: true }, own, `${shown}/v2`],
  [{ user: own, workspace: `${evil}/v2` }, { [shown]: true, [`${shown}/v2`]: true }, `${evil}/v2`, null],
  [{ user: own, workspace: 'http://evil.example:81' }, { [shown]: true }, own, 'http://evil.example:81'],
  [{ user: own, workspace: 'https://evil.example' }, { [shown]: true }, own, 'https://evil.example'],
  [{ user: own, workspace: 'http://evil.example.' }, { [shown]: true }, own, 'http://evil.example.'],
  [{ user: own, workspace: 'http://sub.evil.example' }, { [shown]: true }, own, 'http://sub.evil.example'],
  [{ user: own, workspace: 'http://EVIL.example/' }, { [shown]: true }, 'http://EVIL.example', null],
  [{ user: own, workspace: 'http://localhost:11434@evil.example' }, {}, own, shown],
  [{ user: own, workspace: 'http://localhost:11434@evil.example' }, { [shown]: false }, own, null],
  [{ user: own, workspace: 'http://gpu:11434.evil.example' }, {}, own, null],
  [{ user: own, workspace: 'http://gpu.evil.example:11434' }, {}, own, 'http://gpu.evil.example:11434'],
  [{ user: local, workspace: 'http://lоcalhost:11434' }, {}, local, 'http://xn--lcalhost-nbh:11434'],
  [{ user: local, workspace: 'http://localhost:11435' }, {}, local, 'http://localhost:11435'],
  [{ user: local, workspace: 'http://2130706433:8080' }, {}, local, 'http://127.0.0.1:8080'],
  [{ user: local, workspace: 'http://169.254.169.254/latest' }, {}, local, 'http://169.254.169.254/latest'],
  [{ user: own, workspace: 'http://[::1]:11434' }, {}, own, 'http://[::1]:11434'],
  [{ user: own, workspace: 'file:///etc/passwd' }, {}, own, null],
  [{ user: own, workspace: 'javascript:alert(1)' }, {}, own, null],
  [{ user: own, workspace: 'http://' }, {}, own, null],
  [{ user: own, workspace: 'http://evil host/' }, {}, own, null],
  [{ user: own, workspace: '' }, {}, own, null],
  [{ user: own, workspace: 7 }, {}, own, null],
  [{ user: own, workspace: [evil] }, {}, own, null],
  [{ user: own, workspace: { toString: evil } }, {}, own, null],
  [{ user: own, workspace: `http://evil.example/${'a'.repeat(2048)}` }, {}, own, null],
  [{ user: own, folder: evil }, {}, own, shown],
  [{ user: own, workspace: own, folder: evil }, { [shown]: false }, own, null],
  [{ user: own, machine: 'http://remote:11434', workspace: evil }, {}, 'http://remote:11434', shown],
  [{ user: 'not an address', workspace: evil }, {}, local, shown],
  [{ user: own, workspace: evil }, { __proto__: true }, own, shown],
];
