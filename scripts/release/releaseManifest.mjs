/** Returns the manifest with the addresses that galleries show; without a repository they stay as they are. */
export function releaseManifest(manifest, repository) {
  if (repository === undefined) return manifest;
  return {
    ...manifest,
    repository: { type: 'git', url: `${repository}.git` },
    bugs: { url: `${repository}/issues` },
    homepage: `${repository}#readme`,
  };
}
