/** A quote holds its prices for half an hour. */
export const QUOTE_SECONDS = 30 * 60
