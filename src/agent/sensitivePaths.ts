const folders = new Set(['.git', '.ssh', '.aws', '.gnupg', '.kube', '.docker', '.azure']);

const names =
  /^(\.env(\..+)?|.+\.env|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519)(\..+)?|(.*[-_.])?(secrets?|credentials?|passwords?)(\.(json|ya?ml|toml|ini|txt|env|properties|xml|csv))?|.+\.(pem|key|p12|pfx|jks|keystore|kdbx))$/;

/** Whether a path (with `/`) names what keeps keys or passwords: something that a person shares on purpose only. */
export function isSensitive(path: string): boolean {
  const segments = path.replaceAll('\\', '/').toLowerCase().split('/');
  return segments.some((segment) => folders.has(segment)) || names.test(segments.at(-1) ?? '');
}
