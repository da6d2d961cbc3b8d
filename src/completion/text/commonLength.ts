export function commonLength(one: string, other: string): number {
  const longest = Math.min(one.length, other.length);
  let length = 0;
  while (length < longest && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}
