import { applyDiscount } from './discount.ts';
import { formatMoney } from './money.ts';

export interface Item {
  name: string;
  cents: number;
  quantity: number;
}

export class ShoppingList {
  private readonly items: Item[] = [];

  add(name: string, cents: number, quantity = 1): void {
    this.items.push({ name, cents, quantity });
  }

  remove(name: string): void {
    const index = this.items.findIndex((item) => item.name === name);
    if (index >= 0) this.items.splice(index, 1);
  }

  total(discountPercent = 0): string {
    const sum = this.items.reduce((cents, item) => cents + item.cents * item.quantity, 0);
    return formatMoney(applyDiscount(sum, discountPercent));
  }
}
