import { CommandError, usageError } from '../command-line/command-error.ts'
import { type Terminal, writeLine } from '../command-line/terminal.ts'
import { type Connection, type ConnectionOptions, connectWithKey } from './requests/connection.ts'
import { createWatch } from './trigger/event-watch.ts'
import { EVENT_TYPES, type EventType, isEventType, recipeFor } from './trigger/recipes.ts'
import { runSteps } from './trigger/run-steps.ts'

export interface TriggerOptions extends ConnectionOptions {
  list?: boolean
}

/** Keys of installations in which all orders are tests. */
const TEST_KEY = /^platen_test_/

/** Makes an event happen, with everything that comes before it, and prints each event on the way. */
export async function trigger(type: string | undefined, options: TriggerOptions, terminal: Terminal): Promise<number> {
  if (type === undefined || options.list === true) return listTypes(terminal)
  if (!isEventType(type)) {
    throw usageError(`The event type '${type}' is unknown. Run "platen trigger" for all types.`)
  }
  const recipe = recipeFor(type)
  if ('reason' in recipe) throw new CommandError(`${type} cannot be triggered: ${recipe.reason}.`)
  const connection = await connectWithKey(options)
  refuseRealOrders(connection)
  const watch = createWatch(connection, ({ id, type, subject }) =>
    writeLine(`${id}  ${type}  ${subject}`, terminal.out),
  )
  try {
    await watch.started
    await runSteps(connection, recipe.steps, watch.follow)
    await watch.until(type)
  } finally {
    await watch.stop()
  }
  return 0
}

function listTypes({ out }: Terminal): number {
  const width = Math.max(...EVENT_TYPES.map(({ length }) => length))
  for (const type of EVENT_TYPES) writeLine(`${type.padEnd(width)}  ${stepsOf(type)}`, out)
  return 0
}

function stepsOf(type: EventType): string {
  const recipe = recipeFor(type)
  return 'reason' in recipe
    ? `cannot be triggered: ${recipe.reason}`
    : ['create a design', ...recipe.steps].join(', ').replaceAll('_', ' ')
}

function refuseRealOrders({ origin, apiKey, keySource }: Connection & { apiKey: string }): void {
  if (TEST_KEY.test(apiKey)) return
  throw new CommandError(
    `The key in ${keySource} does not begin with platen_test_, so orders at ${origin} may be real. Start a service for tests with PLATEN_PAYMENT_PROVIDER=test, and run "platen login" there.`,
  )
}
