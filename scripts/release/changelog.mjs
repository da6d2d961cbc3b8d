/** Returns the section of CHANGELOG.md for a version, without its heading, or undefined if there is none. */
export function sectionOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  return section === undefined ? undefined : section.slice(section.indexOf('\n') + 1).trim() || undefined;
}
