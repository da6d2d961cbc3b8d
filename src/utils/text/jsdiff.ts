// All used parts of the library, in a file that the bundles share (webpack.config.js).
export { diffArrays, formatPatch, OMIT_HEADERS, type StructuredPatchHunk } from 'diff';
