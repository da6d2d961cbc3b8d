import { applyDiscount } from './discount.js';
import { formatMoney } from './money.js';

/** Items with a name, a price in cents and a quantity. */
export class ShoppingList {
  items = [];

  add(name, cents, quantity = 1) {
    this.items.push({ name, cents, quantity });
  }

  remove(name) {
    const index = this.items.findIndex((item) => item.name === name);
    if (index >= 0) this.items.splice(index, 1);
  }

  total(discountPercent = 0) {
    const sum = this.items.reduce((cents, item) => cents + item.cents * item.quantity, 0);
    return formatMoney(applyDiscount(sum, discountPercent));
  }
}
