import { dateAndTime, formatNumber } from '../../types/format';
import type { ModelExchange } from '../../types/modelExchange';
import { t } from '../../utils/l10n';

/** Delimiter that cannot occur in the body, because each line of formatted JSON begins with a brace, a bracket or a space. */
const delimiter = 'OLLAMA_REQUEST';

/**
 * Formats a request as a `curl` command for a POSIX shell, followed by the server's measurements as comments.
 * `body` is the redacted body. It is in a quoted here-document, so that the shell expands nothing in it.
 */
export function requestText(exchange: ModelExchange, body: object, { hasToken }: { hasToken: boolean }): string {
  const headers = ['Content-Type: application/json'].map((header) => quoted(header));
  // Use double quotes, so that the shell expands the variable.
  if (hasToken) headers.push('"Authorization: Bearer $OLLAMA_TOKEN"');
  return [
    `# ${exchange.model} · ${dateAndTime(exchange.startedAt)}`,
    `curl ${quoted(exchange.address + exchange.path)} \\`,
    ...headers.map((header) => `  --header ${header} \\`),
    `  --data-binary @- <<'${delimiter}'`,
    JSON.stringify(body, null, 2),
    delimiter,
    '',
    ...figures(exchange).map((line) => `# ${line}`),
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function figures({ metrics, startedAt, endedAt }: ModelExchange): string[] {
  if (metrics === null) return [t('The answer is incomplete, so the server sent no statistics.')];
  const { load_duration: load, prompt_eval_count: prompt, prompt_eval_cached_count: cached, eval_count: written } = metrics;
  const took = [
    ...(load === undefined ? [] : [t('Load: {0} s', seconds(load))]),
    ...(prompt === undefined ? [] : [t('Prompt: {0}', rate(prompt, metrics.prompt_eval_duration))]),
    ...(cached === undefined ? [] : [t('Prompt tokens from the cache: {0}', formatNumber(cached))]),
    ...(written === undefined ? [] : [t('Answer: {0}', rate(written, metrics.eval_duration))]),
    ...(metrics.total_duration === undefined ? [] : [t('Total: {0} s', seconds(metrics.total_duration))]),
    t('Measured here: {0} s', seconds((endedAt - startedAt) * 1e6)),
  ];
  return [t('Statistics from the server'), ...took, JSON.stringify(metrics)];
}

function seconds(nanoseconds: number): string {
  return formatNumber(nanoseconds / 1e9, { most: 2 });
}

function rate(tokens: number, nanoseconds: number | undefined): string {
  if (nanoseconds === undefined || nanoseconds <= 0) return t('{0} tokens', formatNumber(tokens));
  const perSecond = formatNumber(tokens / (nanoseconds / 1e9), { most: 1 });
  return t('{0} tokens in {1} s ({2} tokens/s)', formatNumber(tokens), seconds(nanoseconds), perSecond);
}
