/** An amount in cents as people write it, e.g. `$12.50`. */
export function formatMoney(cents) {
  return `$${(cents / 100).toFixed(2)}`;
}
