import { sectionOf } from './changelog.mjs';

/** Returns the notes of a release, or in `problem` the step that is still missing. */
export function checkRelease({ version, tag, repository, isDryRun, changes, changelog }) {
  if (changes.trim() !== '') return { problem: `Commit or remove these changes first:\n${changes}` };
  if (tag !== undefined && tag !== `v${version}`)
    return { problem: `The tag ${tag} does not fit the version ${version} in package.json.` };
  if (repository === undefined && !isDryRun)
    return {
      problem:
        'The links of README.md need the repository: add -- --repository https://github.com/OWNER/NAME, or "repository" to package.json.',
    };
  const notes = sectionOf(changelog, version);
  return notes === undefined ? { problem: `CHANGELOG.md has no section ## ${version}.` } : { notes };
}

/** Versions below 1.0.0 are pre-releases, which the Marketplace offers separately. */
export function isPreRelease(version) {
  return version.startsWith('0.');
}

/** Returns the commands that publish the packages in `release/`. The commands read `VSCE_PAT` and `OVSX_PAT`. */
export function publishCommands(version) {
  const preRelease = isPreRelease(version) ? ' --pre-release' : '';
  return [
    `npx vsce publish${preRelease} --packagePath release/*.vsix`,
    'npx --yes ovsx@1.4.0 publish --packagePath release/*.vsix',
  ];
}
