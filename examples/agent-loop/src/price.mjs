/** Prices in cents. Two lines are wrong. */

export function total(prices) {
  return prices.slice(1).reduce((sum, price) => sum + price, 0);
}

export function discounted(price, percent) {
  return Math.round(price - price / percent);
}
