import assert from 'node:assert/strict';
import test from 'node:test';
import { ShoppingList } from '../src/shoppingList.js';

test('adds up the items', () => {
  const list = new ShoppingList();
  list.add('bread', 350);
  list.add('apple', 40, 5);
  assert.equal(list.total(), '$5.50');
});

test('forgets removed items', () => {
  const list = new ShoppingList();
  list.add('bread', 350);
  list.remove('bread');
  assert.equal(list.total(), '$0.00');
});

test('takes off a discount', () => {
  const list = new ShoppingList();
  list.add('bread', 350);
  assert.equal(list.total(10), '$3.15');
});
