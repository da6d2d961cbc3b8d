type Make = (size: number) => string;

const repeated =
  (unit: string): Make =>
  (size) =>
    unit.repeat(Math.ceil(size / unit.length)).slice(0, size);

/** Concatenates `line(0)`, `line(1)`, `line(2)`, … until the text is long enough. */
const counted =
  (line: (index: number) => string): Make =>
  (size) => {
    let text = '';
    for (let index = 0; text.length < size; index += 1) text += line(index);
    return text.slice(0, size);
  };

/** Markdown whose parsing time has grown faster than its length, by description. Each text is about `size` characters long. */
export const worstMarkdown: Readonly<Record<string, Make>> = {
  'a table head without spaces': (size) => `|${'x'.repeat(size - 20)}|\n|---|\n| a |\n`,
  'a table of columns': (size) => `${'|a'.repeat(size / 6)}|\n${'|-'.repeat(size / 6)}|\n${'|\n'.repeat(size / 6)}`,
  'a table of 90 columns and short rows': (size) => `${'|a'.repeat(90)}|\n${'|-'.repeat(90)}|\n${'|\n'.repeat(size / 2)}`,
  'a table in a quotation': (size) => `> ${'|a'.repeat(size / 6)}|\n> ${'|-'.repeat(size / 6)}|\n${'> |\n'.repeat(size / 12)}`,
  'rows of a table': (size) => `|a|\n|-|\n${repeated('|b|\n')(size)}`,
  pipes: repeated('|'),
  'pipes in lines': repeated('|\n'),
  backticks: repeated('`'),
  'runs of backticks that grow': counted((index) => `e${'`'.repeat(index)}`),
  'backticks in lines': repeated('`\n'),
  definitions: counted((index) => `[a${index}]: /x${index}\n`),
  'definitions with their links': counted((index) => `[a${index}]: /x${index}\n\n[a${index}]\n\n`),
  'one long definition for many links': (size) => `[a]: /${'x'.repeat(size / 4)}\n\n${repeated('[a] ')(size / 2)}`,
  'open definitions': repeated('[a]: /x "\n'),
  'open brackets': repeated('['),
  'nested brackets': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'open links': repeated('[a](<b'),
  'links in links': (size) => '[a'.repeat(size / 8) + '](b)'.repeat(size / 8),
  images: repeated('![a](b)'),
  'open images': repeated('!['),
  'emphasis in emphasis': repeated('*_'),
  'open emphasis': repeated('*a '),
  'mixed emphasis': repeated('a**b*c_d'),
  'struck out': repeated('~~a '),
  'open HTML': repeated('<a '),
  'open comments': repeated('<!--'),
  'open sections': repeated('<![CDATA['),
  'open addresses': repeated('<http://a'),
  addresses: repeated('http://a.b/c '),
  'one address': (size) => `http://a/${repeated('([')(size)}`,
  entities: repeated('&amp;'),
  escapes: repeated('\\*'),
  quotations: repeated('> '),
  'quotations that get deeper': counted((index) => `${'>'.repeat(index)} a\n`),
  'a quotation with lines after it': (size) => `${'>'.repeat(size / 2)}a\n${repeated('b\n')(size / 2)}`,
  lists: repeated('- '),
  'lists that get deeper': counted((index) => `${' '.repeat(index * 2)}- a\n`),
  'items with empty lines': repeated('- a\n\n'),
  headings: repeated('# a\n'),
  'blocks of code': repeated('```\na\n```\n'),
  'code in items': repeated('- ```\n  a\n'),
  spaces: (size) => `a${' '.repeat(size)}b`,
  'lines that end in spaces': repeated('a  \n'),
  'a line': repeated('x'),
  'what turns text round': repeated('\u202e'),
};
