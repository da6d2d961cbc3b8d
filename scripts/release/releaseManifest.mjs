/** Returns the manifest with the links that galleries show. Without a repository, returns it unchanged. */
export function releaseManifest(manifest, repository) {
  if (repository === undefined) return manifest;
  return {
    ...manifest,
    repository: { type: 'git', url: `${repository}.git` },
    bugs: { url: `${repository}/issues` },
    homepage: `${repository}#readme`,
  };
}
