// All of the library that is used: the bundles share this file (webpack.config.js).
export { diffArrays, formatPatch, OMIT_HEADERS, type StructuredPatchHunk } from 'diff';
