import { Glob } from './glob';

/** Glob → whether such a file may be used without asking (the last one that matches decides). */
export type SensitivityPatterns = Readonly<Record<string, boolean>>;

/** Files that hold secrets wherever they lie. */
export const defaultSensitivityPatterns: SensitivityPatterns = {
  '.env': false,
  '.env.*': false,
  '.env*.{example,sample,template,dist}': true,
  '*.env': false,
  '.envrc': false,
  '*.{pem,key,p12,pfx,jks,keystore,kdbx,ppk,asc,gpg}': false,
  'id_{rsa,dsa,ecdsa,ed25519}*': false,
  '*.pub': true,
  '.{npmrc,yarnrc,pypirc,netrc,pgpass,htpasswd,git-credentials,dockercfg}': false,
  _netrc: false,
  '{credentials,secrets,secret}': false,
  '{credentials,secrets,secret}.{json,yml,yaml,toml,ini,xml,properties}': false,
  'client_secret*.json': false,
  'service-account*.json': false,
  '*.tfstate': false,
  '*.tfvars': false,
  kubeconfig: false,
  '**/.{ssh,aws,gnupg,azure,kube}/**': false,
  '**/.docker/config.json': false,
};

/** Tells files that may hold secrets by their path (with `/`), whatever the case of its letters. */
export class FileSensitivity {
  private readonly rules: { glob: Glob; isFree: boolean }[];

  constructor(patterns: SensitivityPatterns = defaultSensitivityPatterns) {
    this.rules = Object.entries(patterns).map(([pattern, isFree]) => ({ glob: new Glob(pattern, { ignoreCase: true }), isFree }));
  }

  isSensitive(path: string): boolean {
    // Windows reads `.env.` and `.env::$DATA` as `.env`.
    const plain = path
      .split('/')
      .map((name) =>
        name
          .normalize('NFKC')
          .replace(/:.*$/, '')
          .replace(/(?<=[^. ])[. ]+$/, ''),
      )
      .join('/');
    return this.rules.findLast(({ glob }) => glob.matches(plain))?.isFree === false;
  }
}
