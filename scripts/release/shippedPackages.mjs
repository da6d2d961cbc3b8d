/**
 * Returns the packages in a lock file that users may get: `dependencies` and `optionalDependencies` with everything that they need, sorted,
 * as `{ name, version, place }`. (`npm sbom --omit dev` also omits packages that development needs too.)
 */
export function shippedPackages({ packages }) {
  const places = new Set();
  const add = (from, { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) => {
    const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers]) {
      const place = placeOf(packages, from, name);
      if (place === undefined || places.has(place)) continue;
      places.add(place);
      add(place, packages[place]);
    }
  };
  add('', packages['']);
  return [...places].sort().map((place) => ({ name: nameOf(place, packages[place]), version: packages[place].version, place }));
}

/** Returns the real name of a package. A package that replaces another one is installed under the other name. */
function nameOf(place, { name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length) }) {
  return name;
}

/** Returns the location where a package finds another: in its own folder or in an outer one. */
function placeOf(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (place in packages) return place;
    if (at === '') return undefined;
  }
}
