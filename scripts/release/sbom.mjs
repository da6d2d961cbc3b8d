import { shippedPackages } from './shippedPackages.mjs';

/** Reduces npm's list of dependencies (CycloneDX) to the packages that users may get. */
export function shippedSbom(sbom, lock) {
  const { component } = sbom.metadata;
  const own = component['bom-ref'];
  const shipped = new Set(shippedPackages(lock).map(({ name, version }) => `${name}@${version}`));
  const isShipped = (ref) => ref === own || shipped.has(ref.split('|').at(-1));
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component: { ...component, name: lock.name } },
    components: sbom.components.filter((one) => isShipped(one['bom-ref'])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => isShipped(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isShipped) })),
  };
}
