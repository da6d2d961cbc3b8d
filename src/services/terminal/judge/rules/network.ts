/** Rules for programs that connect to other machines, clouds and databases. */
export const networkRules = String.raw`
// https://curl.se/docs/manpage.html, https://www.gnu.org/software/wget/manual/
curl wget fetch iwr invoke-webrequest irm invoke-restmethod aria2c http https httpie axel start-bitstransfer certutil bitsadmin
lynx = high usesNetwork
  critical deletesRemote: -X|--request|-Method /^DELETE$/i or /^(-X|--request=)DELETE$/i

// ncat(1), socat(1), GTFOBins nc, socat
nc ncat netcat socat telnet = high usesNetwork
  critical letsIn: -e|-c|--exec|--sh-exec or /^(exec|system):/i /^(tcp|udp|openssl)/i

// ssh(1), scp(1)
ssh scp sftp ftp tftp rsh rlogin mosh lftp ping nslookup dig host traceroute tracert mtr nmap whois ssh-copy-id ngrok
cloudflared mail sendmail mailx mutt send-mailmessage masscan tcpdump smbclient = high usesNetwork

// https://docs.aws.amazon.com/cli/latest/reference/
aws = high changesRemote
  critical deletesRemote: s3|s3api rb|delete-bucket|delete-objects or s3 rm --recursive or s3 sync --delete
    or /^(terminate|delete|deregister|destroy|purge|remove|revoke|disable)-/ or rb|nuke
  high readsSecrets: secretsmanager|ssm|sts|ecr|iam /^(get-secret-value|get-parameters?|create-access-key)$/
    or secretsmanager|ssm|sts|ecr|iam /^(get-session-token|assume-role|get-login-password)$/
  high deletesRemote: s3 rm|mv
  high sendsData: s3 cp|sync
  medium usesNetwork: /^(ls|describe-.*|list-.*|get-.*|head-.*|help|wait)$/

// https://cloud.google.com/sdk/gcloud/reference, https://learn.microsoft.com/cli/azure/
gcloud az oci doctl ibmcloud linode-cli hcloud openstack scw = high changesRemote
  critical deletesRemote: /^(delete|destroy|purge|remove|rm)(-.*)?$/
  high readsSecrets: /^(print-access-token|print-identity-token|get-access-token|access)$/
  medium usesNetwork: /^(list|describe|show|get|info|version|get-value)$/

// https://cloud.google.com/storage/docs/gsutil
gsutil s3cmd mc azcopy b2 wrangler = high sendsData
  critical deletesRemote: rb|del|delete|remove|secret|r2|kv|d1|rollback or rm -r|-R|--recursive
  high publishes: deploy|publish
  medium usesNetwork: ls|stat|du|tail|dev|version|whoami

// https://kubernetes.io/docs/reference/kubectl/
kubectl oc k = high changesRemote
  high readsSecrets: get|describe|view /^secrets?([\/,].*)?$/
  critical deletesRemote: delete /^(ns|namespaces?|pv|pvc|persistentvolume.*|crd|nodes?|all|project)([\/,].*)?$/
    or delete --all|--all-namespaces|-A
  high deletesRemote: delete|drain|evict
  low: get|describe|logs|top|explain|version|api-resources|api-versions|cluster-info|diff|events
    or config view|get-contexts|current-context|get-clusters !--raw or rollout status|history

// https://helm.sh/docs/helm/
helm helmfile
  critical deletesRemote: uninstall|delete|del|destroy|un
  high publishes: push
  high changesRemote: install|upgrade|rollback|sync|apply
  low: list|ls|status|history|version|template|lint|get|show|search|env

// https://developer.hashicorp.com/terraform/cli/commands
terraform tofu terragrunt pulumi cdk cdktf sam serverless sls eksctl
  critical deletesRemote: destroy|delete|remove or run-all destroy or apply -destroy|--destroy or workspace|stack delete|rm
  high changesRemote: apply|up|deploy|import|taint|untaint|force-unlock|cancel|run-all|create
    or state rm|mv|push|replace-provider|delete
  medium changesFiles: fmt !-check|--check
  low: plan|show|validate|output|version|providers|graph|fmt|preview|diff|synth|ls|list|about|whoami
    or state|workspace list|show

// https://docs.ansible.com/
ansible ansible-playbook salt puppet chef-client fab cap
  high changesRemote: !--check|--syntax-check|--list-hosts|--version

// https://devcenter.heroku.com/articles/heroku-cli-commands, https://vercel.com/docs/cli
heroku fly flyctl railway render vercel netlify surge firebase gcloud-app eas now supabase = high publishes
  critical deletesRemote: /(^|:)(destroy|delete|remove|rm|reset|teardown)$/
  low: --version|whoami or logs|ls|list|status|whoami|apps|ps|projects:list|info
  medium runsTests: dev|build|serve|emulators:start

// https://www.postgresql.org/docs/current/app-dropdb.html
dropdb dropuser pg_dropcluster = critical wipesData

// https://www.postgresql.org/docs/current/sql-droptable.html, https://dev.mysql.com/doc/refman/8.4/en/drop-table.html
psql mysql mariadb sqlite3 sqlcmd cqlsh surreal isql arangosh cypher-shell clickhouse-client duckdb bq snowsql mycli pgcli usql
  critical wipesData: /\b(drop|remove)\s+(database|schema|table|user|role|owned|view|materialized|index|keyspace|namespace)/i
    or /\b(drop|remove)\s+(collection|graph|bucket|dictionary|cluster)|\btruncate\b/i
    or /\bdelete\s+from\s+\S+\s*(;|$)/i or rm -r|-f
  high deletesData: /\b(delete\s+from|update\s+\S+\s+set|alter\s+table|grant|revoke)\b/i or rm
  high runsAnother: /^\.(shell|system|load)\b|^\\!|\b(load_extension|edit)\s*\(|^(load|install)\s/i
    or /^\.(once|output|import)\b.*['"\s]\|/i
  high overwritesFiles: /\bwritefile\s*\(|^\.(once|output|backup|save|clone)\s+['"]?([\/~]|\.\.)/i
  high runsFile: /^\.read\b|^\\ir?\b|^source\s/i or -init
  medium runsFile: -f|--file|--input-file|--queries-file or /^--(file|input-file|queries-file)=/
  high changesRemote: /\b(insert|create|replace|copy)\b/i
  medium changesFiles: /^\.(once|output|backup|save|clone|log|open)\s/i
  low: /^\s*(select|show|explain|\.tables|\.schema|\\d\S*|\\l|describe)\b[^;]*;?\s*$/i

// https://dev.mysql.com/doc/refman/8.4/en/mysqladmin.html
mysqladmin = high changesRemote
  critical wipesData: /^drop$/
  critical stopsServices: /^shutdown$/
  low: /^(status|ping|version|processlist)$/

// https://redis.io/docs/latest/commands/flushall/, https://www.mongodb.com/docs/manual/reference/method/db.dropDatabase/
redis-cli valkey-cli mongosh mongo influx etcdctl consul vault rabbitmqctl kafka-topics kafka-topics.sh couchdb
memcached-tool = high changesRemote
  critical wipesData: bucket|org delete or /^(flushall|flushdb|shutdown|reset|force_reset|delete_vhost)$/i
    or /drop(database|index(es)?)?\(|deletemany\(\s*\{?\s*\}?|--delete|\.remove\(\s*\{?\}?/i
  high deletesData: /^(del|delete|unlink|destroy|--prefix|kv|secrets|expire|rename)$/i
  high readsSecrets: read|print|login|token|secret
  low: /^(get|keys|info|ping|ttl|scan|dbsize|type|exists|status|members|list|list_queues|endpoint)$/i

// https://www.mongodb.com/docs/database-tools/mongorestore/
mongorestore pg_restore = high changesRemote
  critical wipesData: --drop|--clean|-c

// tldr-pages common/croc
dropbox gdrive transfer croc magic-wormhole wormhole pastebinit ix termbin = high sendsData
`;
