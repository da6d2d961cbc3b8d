import type { Statistics } from '../../protocol/requests/statisticsRequests';
import { t } from '../translate';

/** A picture of numbers, and the table that says the same. */
export interface Picture {
  title: string;
  /** `days` stand side by side, `names` one below the other. */
  kind: 'days' | 'names';
  /** Names of the parts of a bar; the table has further columns. */
  series: string[];
  rows: { name: string; values: number[]; cells: string[] }[];
  /** Heads of the columns of the table after the name. */
  columns: string[];
  head: string;
}

/** Returns the pictures of figures that are there, what a person asks most about first. */
export function picturesOf(statistics: Statistics): Picture[] {
  const { tokensByDay, tools, toolsByDay, models, edits, sessions } = statistics;
  const timed = models.filter(({ firstTokenMs }) => firstTokenMs !== null);
  const fast = models.filter(({ tokensPerSecond }) => tokensPerSecond !== null);
  const all: Picture[] = [
    {
      ...{ title: t('Tokens a day'), kind: 'days', head: t('Day') },
      series: [t('Read'), t('Written')],
      columns: [t('Read'), t('Written')],
      rows: everyDay(tokensByDay, (day) => [day.prompt, day.answer], 2),
    },
    {
      ...{ title: t('Tools by count and success'), kind: 'names', head: t('Tool') },
      series: [t('Successful'), t('Failed'), t('Skipped or stopped')],
      columns: [t('Calls'), t('Success'), t('Average time')],
      rows: tools.slice(0, 20).map(({ tool, calls, successes, failures, averageMs }) => ({
        name: tool,
        values: [successes, failures, calls - successes - failures],
        cells: [countText(calls), percentText(successes, successes + failures), averageMs === null ? '–' : timeText(averageMs)],
      })),
    },
    {
      ...{ title: t('Time to the first token, by model'), kind: 'names', head: t('Model') },
      series: [t('Time')],
      columns: [t('Time'), t('Answers')],
      rows: timed.map(({ model, firstTokenMs, answers }) => ({
        name: model,
        values: [firstTokenMs ?? 0],
        cells: [timeText(firstTokenMs ?? 0), countText(answers)],
      })),
    },
    {
      ...{ title: t('Tokens a second, by model'), kind: 'names', head: t('Model') },
      series: [t('Tokens a second')],
      columns: [t('Tokens a second'), t('Tokens read'), t('Tokens written')],
      rows: fast.map(({ model, tokensPerSecond, promptTokens, answerTokens }) => ({
        name: model,
        values: [tokensPerSecond ?? 0],
        cells: [(tokensPerSecond ?? 0).toFixed(1), countText(promptTokens), countText(answerTokens)],
      })),
    },
    {
      ...{ title: t('Calls of tools a day'), kind: 'days', head: t('Day') },
      series: [t('Calls')],
      columns: [t('Calls'), t('Failed')],
      rows: everyDay(
        toolsByDay,
        (day) => [day.calls],
        1,
        (day) => [day.calls, day.failures],
      ),
    },
    {
      ...{ title: t('Changed files, by model'), kind: 'names', head: t('Model') },
      series: [t('Kept'), t('Undone'), t('Waiting')],
      columns: [t('Kept'), t('Undone'), t('Waiting')],
      rows: edits.map(({ model, kept, undone, pending }) => ({
        name: model,
        values: [kept, undone, pending],
        cells: [kept, undone, pending].map(countText),
      })),
    },
    {
      ...{ title: t('Tools of the last sessions'), kind: 'names', head: t('Session') },
      series: [t('Calls')],
      columns: [t('Calls'), t('Tools')],
      rows: sessions.map((session) => {
        const calls = session.tools.reduce((sum, tool) => sum + tool.calls, 0);
        const used = session.tools.map((tool) => `${tool.tool} ${countText(tool.calls)}`).join(', ');
        return { name: session.title || t('Untitled'), values: [calls], cells: [countText(calls), used] };
      }),
    },
  ];
  return all.filter(({ rows }) => rows.length > 0);
}

/** Fills in the days on which nothing was, so that the picture shows time as it went. */
function everyDay<T extends { day: string }>(
  days: readonly T[],
  valuesOf: (day: T) => number[],
  count: number,
  cellsOf: (day: T) => number[] = valuesOf,
): Picture['rows'] {
  const first = days[0];
  const last = days.at(-1);
  if (first === undefined || last === undefined) return [];
  const known = new Map(days.map((day) => [day.day, day]));
  const rows: Picture['rows'] = [];
  for (let time = Date.parse(first.day); time <= Date.parse(last.day); time += 86_400_000) {
    const name = new Date(time).toISOString().slice(0, 10);
    const day = known.get(name);
    const values = day === undefined ? Array.from({ length: count }, () => 0) : valuesOf(day);
    rows.push({ name, values, cells: (day === undefined ? values : cellsOf(day)).map(countText) });
  }
  return rows;
}

export function countText(count: number): string {
  return count.toLocaleString();
}

function percentText(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((part * 100) / whole)} %`;
}

function timeText(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
