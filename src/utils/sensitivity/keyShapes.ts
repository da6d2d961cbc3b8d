/**
 * Patterns of keys and tokens that can be recognized without context. Based on the rules of gitleaks
 * (`config/gitleaks.toml`, MIT) and detect-secrets (Apache 2.0). Omits rules that can match arbitrary numbers.
 */
const shapes: readonly string[] = [
  // A header at the start of a line always counts. In the middle of a line it can be code, so key text must follow.
  '^[ \\t>*#/"\'+-]*-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----\\s*$',
  '-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----[^-]{0,200}?[A-Za-z0-9+/]{40}',
  'PuTTY-User-Key-File-[23]:',
  'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}',
  // Cloud providers.
  '\\b(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}\\b',
  '\\bAIza[\\w-]{35}(?![\\w-])',
  '\\bGOCSPX-[\\w-]{28}',
  '\\bya29\\.[\\w-]{30}',
  '\\bLTAI[A-Za-z0-9]{20}\\b',
  '\\bdo[opr]_v1_[a-f0-9]{64}\\b',
  'AccountKey=[A-Za-z0-9+/]{86}==',
  '\\b[a-zA-Z0-9_~.]{3}\\dQ~[a-zA-Z0-9_~.-]{31,34}',
  // Code hosting.
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
  // Messaging, mail and payment.
  '\\bxox[abeoprs]-[A-Za-z0-9-]{10}',
  '\\bxapp-\\d-[A-Z0-9]+-\\d+-[a-z0-9]{10}',
  'hooks\\.slack\\.com/(?:services|workflows|triggers)/T[A-Z0-9]{8,}/[A-Za-z0-9+/]{20}',
  '\\bSG\\.[\\w-]{22}\\.[\\w-]{43}',
  '\\b(?:sk|rk)_(?:live|prod)_[A-Za-z0-9]{10}',
  '\\bsq0(?:atp|csp)-[\\w-]{22}',
  '\\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
  '\\bSK[0-9a-f]{32}\\b',
  '\\bkey-[0-9a-f]{32}\\b',
  // AI models.
  '\\bsk-(?:proj-|svcacct-|admin-)?[\\w-]{20,80}T3BlbkFJ[\\w-]{20}',
  '\\bsk-ant-(?:api|admin|oat)\\d\\d-[\\w-]{60}',
  '\\bhf_[A-Za-z]{34}\\b',
  // Operations tools.
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

/** Returns true if a text contains a possible key or token. */
export function holdsKey(text: string): boolean {
  return any.test(text);
}

/** Matches a private key with all its lines, up to its end or the end of the text. */
const blocks =
  /(?:-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [^\n]*|$(?![^]))|PuTTY-User-Key-File-[23]:[^]*?(?:Private-MAC:[^\n]*|$(?![^])))/g;
const each = keyPattern();

export const keyLeftOut = '[key left out]';

/** Returns a new global pattern that finds one key after the other. */
export function keyPattern(): RegExp {
  return new RegExp(shapes.join('|'), 'gm');
}

/** Replaces possible keys and tokens in a text with `[key left out]`. */
export function withoutKeys(text: string): string {
  return holdsKey(text) ? text.replace(blocks, keyLeftOut).replace(each, keyLeftOut) : text;
}
