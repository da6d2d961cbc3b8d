/** What is left of `cents` after a discount of `percent`. */
export function applyDiscount(cents, percent) {
  return Math.round(cents * (1 - percent));
}
