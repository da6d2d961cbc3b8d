/** Settings that need LanceDB, which only the packages for single platforms contain. */
const lanceSettings = ['ollamaCopilot.search.useLanceDB'];

/** Returns the manifest of the package for all platforms, without the settings that cannot work there. */
export function universalManifest(manifest) {
  const { configuration } = manifest.contributes;
  const without = ({ properties, ...section }) => ({
    ...section,
    properties: Object.fromEntries(Object.entries(properties).filter(([key]) => !lanceSettings.includes(key))),
  });
  const next = Array.isArray(configuration) ? configuration.map(without) : without(configuration);
  return { ...manifest, contributes: { ...manifest.contributes, configuration: next } };
}
