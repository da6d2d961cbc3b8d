/** Lists what a kind of file is called: globs that ask before such a file is read, and those that free one of them again. */
export interface SecretFiles {
  readonly kind: string;
  readonly asks: readonly string[];
  readonly frees?: readonly string[];
}

/**
 * Lists the files that hold secrets wherever they lie; the last pattern that matches decides. The base are the file names of gitrob
 * (`core/signatures.go`, MIT) and shhgit (`config.yaml`, MIT), and what the tools' own manuals name. See decision 0018 for what of
 * them is left out.
 */
export const secretFiles: readonly SecretFiles[] = [
  {
    kind: 'environments',
    asks: ['.env*', '*.env', '*.env.{local,dev,development,prod,production,staging,test}', 'env.{local,prod,production}'],
    frees: ['.env*{.,-,_}{example,sample,template,dist}', '{example,sample,template}.env'],
  },
  {
    kind: 'environments of frameworks',
    asks: [
      '.flaskenv',
      '.dev.vars',
      '.dev.vars.*',
      '**/.envs/**',
      '.envrc',
      '.secrets',
      '.secrets.*',
      '.secret',
      '.passwd',
      '.password',
    ],
    frees: ['.secrets.baseline', '.dev.vars.{example,sample,template}'],
  },
  {
    kind: 'keys and certificates with keys',
    asks: [
      '*.{pem,key,keypair,p8,p12,pkcs8,pkcs12,pfx,der,jks,jceks,bks,keystore,truststore,ppk,asc,gpg,pgp,age,snk,pvk,spc,keytab}',
      '*.{ovpn,tblk,mobileprovision,provisionprofile,agekey,nkey,seed,wallet}',
      '{otr.private_key,wg0.conf,age.key,keys.txt,private_key,private-key,privatekey,signing_key,secring.*,krb5cc_*}',
      '*{private,_private,-private}{_,-}key.{txt,xml,json,pem,der}',
      'wg[0-9].conf',
    ],
  },
  {
    kind: 'keys of ssh',
    asks: [
      'id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk,xmss}*',
      '*_{rsa,dsa,ecdsa,ed25519}',
      '*-{rsa,dsa,ecdsa,ed25519}',
      'ssh_host_*_key',
    ],
    frees: ['id_*.pub', '*[-_]{rsa,dsa,ecdsa,ed25519}.pub', 'ssh_host_*_key.pub'],
  },
  {
    kind: 'stores of passwords',
    asks: [
      '*.{kdb,kdbx,psafe3,agilekeychain,opvault,keychain,keychain-db,kwallet,keyring,gnucash,bek,tpm,fve,1pif,1pux,enpassdb}',
      '{login.keychain,logins.json,key3.db,key4.db,signons.sqlite,passwords.csv,.password-store,bitwarden_export_*.json}',
      '**/.password-store/**',
      '**/.vault/**',
      '.vault*',
      'vault{_,-}{pass,password}*',
      '{vault-token,vault.key,ansible-vault-password,.vault_pass*}',
    ],
  },
  {
    kind: 'what says in its name that it is secret',
    asks: [
      '{credential,credentials,secret,secrets,password,passwords,passwd,shadow,gshadow}',
      '*[-_.]{credential,credentials,secret,secrets,password,passwords}',
      '{credential,credentials,secret,secrets,password,passwords}.{json,jsonc,json5,yml,yaml,toml,ini,xml,properties,txt,csv,env,conf,cfg,plist,tfvars,enc,gpg,db,local,bak,old,xlsx,docx}',
      '*[-_.]{credential,credentials,secret,secrets,password,passwords}.{json,jsonc,yml,yaml,toml,ini,xml,properties,txt,csv,env,conf,cfg,plist}',
      '{credential,credentials,secret,secrets,password,passwords}[-_.]*.{json,yml,yaml,toml,ini,xml,properties,txt,csv,env}',
      '{apikey,api_key,api-key,apikeys,api_keys,api-keys,token,access_token,auth_token,.token,.apikey,.api_key}',
      '{apikey,api_key,api-key,apikeys,api_keys,api-keys,token,access_token,auth_token}.{json,txt,yml,yaml,ini}',
      '{secret_token,secrets.local,secret_key}.{rb,py,txt,php}',
      '**/{secrets,.secrets,private_keys,.credentials}/**',
    ],
    // A module that is called so is ordinary code; what of it looks like a key is seen by its text.
    frees: [
      '**/secrets/**/*.{ts,tsx,mts,cts,go,rs,java,kt,cs,c,cc,cpp,h,hpp,swift,scala,vue,svelte,css,html}',
      '*.{pub,secret,secrets}.example',
    ],
  },
  {
    kind: 'clouds',
    asks: [
      '{client_secret,client-secret,client_secrets}*.json',
      '*{service-account,service_account,serviceaccount,serviceAccount}*.{json,yml,yaml}',
      '*firebase-adminsdk*.json',
      '{google-services,GoogleService-Info}.{json,plist}',
      '{application_default_credentials,gcloud-service-key,gcp-key,gcp_key,gcs-key,gcs,azureProfile,accessTokens,msal_token_cache}.json',
      '{.boto,.s3cfg,.s3ql,.passwd-s3fs,.tugboat,.azureauth,.bluemix,.oci_api_key,.digitalocean,.linode-cli}',
      '{*rclone.conf,rclone*.conf,.rclone.conf,rootkey.csv,accessKeys.csv,*_accessKeys.csv,credentials.csv}',
      '*.{publishsettings,azurePubxml,cscfg,pubxml.user}',
      '**/.{ssh,aws,gnupg,azure,kube,docker,gcloud,oci,aliyun,bluemix,chef,fly,railway,heroku,netlify,vercel,minikube}/**',
      '**/.config/{gh,gcloud,op,doctl,hub,hcloud,heroku,rclone,stripe,scw,sops,configstore,netlify,glab-cli,helm,1Password,flyctl,exercism,github-copilot}/**',
      '**/.config/{hub,gh,doctl}',
      '**/{doctl,gh,glab-cli}/{config,hosts}.{yml,yaml}',
    ],
    frees: ['**/.vercel/{project.json,README.txt}', '*service{-,_}account*.{example,sample}.json'],
  },
  {
    kind: 'infrastructure',
    asks: [
      '{*.tfstate,*.tfstate.*,*.tfvars,*.tfvars.json,*.auto.tfvars,.terraformrc,terraform.rc,*.tfplan,credentials.tfrc.json}',
      '{kubeconfig,*.kubeconfig,kubeconfig.*,kube.config,admin.conf,*-kubeconfig.yaml,*-kubeconfig.yml}',
      '{sealed-secrets-key,secret,secrets}*.{yaml,yml}',
      '*{-,.}secret{,s}.{yaml,yml}',
      '{.dockercfg,.dockerconfigjson,docker-config.json,.docker-config.json,knife.rb,.vagrant-credentials,Pulumi.*.secret.yaml}',
      '{jenkins.plugins.publish_over_ssh.BapSshPublisherPlugin.xml,hudson.util.Secret,initialAdminPassword}',
      '**/.{chef,pulumi,terraform.d,ansible}/**',
    ],
    frees: ['*.tfvars.{example,sample}', '*{.,-,_}{example,sample}.tfvars', '*{sealed,external}-secret.{yaml,yml}'],
  },
  {
    kind: 'registries of packages',
    asks: [
      '{.npmrc,.yarnrc,.yarnrc.yml,.pypirc,.gemrc,.bundlerc,.nugetrc,.condarc,.pnpmrc,.bunfig.toml,auth.json,.cargo-credentials}',
      '{pip.conf,pip.ini,.pip.conf,sbt.credentials,.sbtcredentials}',
      '**/.m2/settings*.xml',
      '{settings-security.xml,.gradle-credentials}',
      '**/.{cargo,gem,composer,nuget,bundle}/{credentials,credentials.toml,auth.json,config.json,NuGet.Config}',
      '**/.gradle/gradle.properties',
      '{gradle-local,local,keystore,key,signing,release-keystore}.properties',
      '{sonar,artifactory,codecov}{.token,-token}',
    ],
  },
  {
    kind: 'databases, mail, transfer and the web',
    asks: [
      '{.my.cnf,.mylogin.cnf,.pgpass,pgpass.conf,.pg_service.conf,.mongorc.js,.mongoshrc.js,.dbshell,tnsnames.ora,.psqlrc}',
      '{database.yml,robomongo.json,dbeaver-data-sources.xml,.dbeaver-data-sources.xml,credentials-config.json,dataSources.local.xml}',
      '{.netrc,_netrc,.authinfo,.authinfo.gpg,.htpasswd,htpasswd,.htaccess_auth,.git-credentials,gitcredentials,.gitconfig}',
      '{.muttrc,.msmtprc,.fetchmailrc,.offlineimaprc,.mbsyncrc,.esmtprc,.mailrc,proftpdpasswd,.ftpconfig,.remote-sync.json}',
      '{filezilla.xml,recentservers.xml,sitemanager.xml,sftp-config.json,sftp.json,WinSCP.ini,ventrilo_srv.ini,.smbcredentials,.smbclient.conf,.cifs}',
      '{wp-config*.php,LocalSettings.php,config.inc.php,secret_token.rb,secrets.yml.enc,master.key,credentials.yml.enc}',
      '*.{rdp,pcap,pcapng,har}',
      '{.dockerhub,.trc,.twurlrc,.irssi,.weechat,.slackcat,.slack-token,.hipchat,.tokens,.travis.token,.gist,.gist-vim}',
      '**/{.purple/accounts.xml,.irssi/config,.xchat2/servlist_.conf,.recon-ng/keys.db}',
    ],
    frees: ['wp-config-sample.php', 'database.{example,sample}.yml'],
  },
  {
    kind: 'tools and agents',
    asks: [
      '{.mcp,mcp,claude_desktop_config,mcp_settings,cline_mcp_settings}.json',
      '**/.{codex,gemini,claude,qwen,cursor,continue,opencode,amazonq}/{auth,oauth_creds,.credentials,credentials,google_accounts,mcp,mcp_settings}.{json,yml,yaml}',
      '**/.continue/config.{json,yml,yaml}',
      '{.claude.json,.claude.json.backup,oauth_creds.json,.huggingface,.kaggle,kaggle.json,.openai,.anthropic,.cohere,.replicate}',
      '**/.{huggingface,kaggle,openai,anthropic,sentryclirc,wakatime}/**',
      '{.sentryclirc,sentry.properties,.wakatime.cfg,.netlify-token,.surge,.now,.ngrok2,ngrok.yml,.expo-token,fastlane.env,Appfile.local}',
      '**/.ngrok2/**',
      '{.streamlit-secrets.toml,.rediscli_auth,.rest-client.env.json,http-client.private.env.json,*.postman_environment.json}',
    ],
  },
  {
    kind: 'what was typed',
    asks: [
      '.*_history',
      '{.history,.zhistory,.histfile,fish_history,ConsoleHost_history.txt,.node_repl_history,.lesshst,.viminfo}',
      '.*history',
    ],
  },
];
