/** A value, or a promise of it if something has to be waited for. */
export type Awaitable<Value> = Value | Promise<Value>

/** Goes on with a value, at once if it is known: a promise takes as long as most steps of a request. */
export function andThen<Value, Result>(
  value: Awaitable<Value>,
  goOn: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(goOn) : goOn(value)
}
