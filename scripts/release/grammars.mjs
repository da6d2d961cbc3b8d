/**
 * Parser and grammars from @vscode/tree-sitter-wasm that the packages contain, with their copyright holders. All are under the MIT license.
 * @vscode/tree-sitter-wasm includes only its own license, so these come from the versions that it was built from.
 */
const grammars = [
  ['tree-sitter', 'https://github.com/tree-sitter/tree-sitter', '2018-2024 Max Brunsfeld'],
  ['tree-sitter-bash', 'https://github.com/tree-sitter/tree-sitter-bash', '2017 Max Brunsfeld'],
  ['tree-sitter-go', 'https://github.com/tree-sitter/tree-sitter-go', '2014 Max Brunsfeld'],
  ['tree-sitter-java', 'https://github.com/tree-sitter/tree-sitter-java', '2017 Ayman Nadeem'],
  ['tree-sitter-javascript', 'https://github.com/tree-sitter/tree-sitter-javascript', '2014 Max Brunsfeld'],
  ['tree-sitter-powershell', 'https://github.com/airbus-cert/tree-sitter-powershell', '2023 Airbus CERT'],
  ['tree-sitter-python', 'https://github.com/tree-sitter/tree-sitter-python', '2016 Max Brunsfeld'],
  ['tree-sitter-rust', 'https://github.com/tree-sitter/tree-sitter-rust', '2017 Maxim Sokolov'],
  ['tree-sitter-tsx', 'https://github.com/tree-sitter/tree-sitter-typescript', '2017 Max Brunsfeld'],
  ['tree-sitter-typescript', 'https://github.com/tree-sitter/tree-sitter-typescript', '2017 Max Brunsfeld'],
];

const licence = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

/** Returns the notice for the parser and the grammars. */
export function grammarNotice() {
  const lines = grammars.map(([name, address, holder]) => `${name} (MIT), ${address}\nCopyright (c) ${holder}`);
  return `${lines.join('\n\n')}\n\n${licence}`;
}
