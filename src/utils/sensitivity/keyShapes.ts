/**
 * Shapes of keys and tokens that say by themselves what they are. The base are the rules of gitleaks (`config/gitleaks.toml`, MIT) and the
 * plugins of detect-secrets (Apache 2.0) that need no words around them; rules for what could as well be any number are left out.
 */
const shapes: readonly string[] = [
  // A header that begins its line is one of a key, whatever follows; in the midst of a line it may be code about keys.
  '^[ \\t>*#/"\'+-]*-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----\\s*$',
  '-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----[^-]{0,200}?[A-Za-z0-9+/]{40}',
  'PuTTY-User-Key-File-[23]:',
  'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}',
  // Clouds.
  '\\b(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}\\b',
  '\\bAIza[\\w-]{35}(?![\\w-])',
  '\\bGOCSPX-[\\w-]{28}',
  '\\bya29\\.[\\w-]{30}',
  '\\bLTAI[A-Za-z0-9]{20}\\b',
  '\\bdo[opr]_v1_[a-f0-9]{64}\\b',
  'AccountKey=[A-Za-z0-9+/]{86}==',
  '\\b[a-zA-Z0-9_~.]{3}\\dQ~[a-zA-Z0-9_~.-]{31,34}',
  // Where code is kept.
  '\\bgh[pousr]_[A-Za-z0-9]{36}',
  '\\bgithub_pat_[A-Za-z0-9_]{36}',
  '\\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-[\\w-]{20}',
  '\\bATBB[A-Za-z0-9]{32}',
  '\\bATATT3[\\w=-]{100}',
  // Registries.
  '\\bnpm_[A-Za-z0-9]{36}',
  '\\bpypi-AgE[\\w-]{50}',
  '\\brubygems_[a-f0-9]{48}\\b',
  '\\boy2[a-z0-9]{43}\\b',
  '\\bdckr_pat_[\\w-]{27}',
  '\\b[a-z0-9]{14}\\.atlasv1\\.[\\w=-]{60}',
  // Talk, mail and money.
  '\\bxox[abeoprs]-[A-Za-z0-9-]{10}',
  '\\bxapp-\\d-[A-Z0-9]+-\\d+-[a-z0-9]{10}',
  'hooks\\.slack\\.com/(?:services|workflows|triggers)/T[A-Z0-9]{8,}/[A-Za-z0-9+/]{20}',
  '\\bSG\\.[\\w-]{22}\\.[\\w-]{43}',
  '\\b(?:sk|rk)_(?:live|prod)_[A-Za-z0-9]{10}',
  '\\bsq0(?:atp|csp)-[\\w-]{22}',
  '\\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
  '\\bSK[0-9a-f]{32}\\b',
  '\\bkey-[0-9a-f]{32}\\b',
  // Models.
  '\\bsk-(?:proj-|svcacct-|admin-)?[\\w-]{20,80}T3BlbkFJ[\\w-]{20}',
  '\\bsk-ant-(?:api|admin|oat)\\d\\d-[\\w-]{60}',
  '\\bhf_[A-Za-z]{34}\\b',
  // Whoever runs something.
  '\\bhv[sb]\\.[\\w-]{90}',
  '\\bglsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}',
  '\\bdp\\.(?:pt|st|ct|sa)\\.[A-Za-z0-9_.-]{40}',
  '\\blin_api_[A-Za-z0-9]{40}',
  '\\bNRAK-[A-Z0-9]{27}\\b',
  '\\bpscale_(?:tkn|pw|oauth)_[\\w=.-]{32}',
  '\\bsbp_[a-f0-9]{40}\\b',
  '\\bdapi[a-f0-9]{32}\\b',
];

const any = new RegExp(shapes.join('|'), 'm');

/** Tells whether a text holds what has the shape of a key or a token. */
export function holdsKey(text: string): boolean {
  return any.test(text);
}

/** A private key with all its lines, to its end or that of the text. */
const blocks =
  /(?:-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [^\n]*|$(?![^]))|PuTTY-User-Key-File-[23]:[^]*?(?:Private-MAC:[^\n]*|$(?![^])))/g;
const each = keyPattern();

/** Text that stands in place of a key. */
export const keyLeftOut = '[key left out]';

/** Returns a pattern of its own that finds one key after the other. */
export function keyPattern(): RegExp {
  return new RegExp(shapes.join('|'), 'gm');
}

/** Returns the text with `[key left out]` in place of whatever has the shape of a key or a token. */
export function withoutKeys(text: string): string {
  return holdsKey(text) ? text.replace(blocks, keyLeftOut).replace(each, keyLeftOut) : text;
}
