/** Fills a database with sample orders, to see how a shop of some years looks and how fast it is. */
import { parseArgs } from 'node:util'
import { openForCommand } from '../src/commands/storehouse.ts'
import { UsageError } from '../src/commands/usage-error.ts'
import { readConfig } from '../src/config.ts'
import { createLog } from '../src/platform/log.ts'
import { addSampleOrders } from './lib/sample-orders.ts'

const HELP = `npm run seed -- [options]

  --orders N        how many orders (1000)
  --seed N          other rows for another number (1)
  --until TIME      when the newest was ordered (now); with the same seed and time, the same rows
  --customer EMAIL  this account is the shop's greatest customer, instead of one nobody can sign in to
  --force           also where there are orders

It takes the database that PLATEN_DATABASE_URL or PLATEN_DATA_DIR names; the service may run, and tells
operators' webhooks and streams of every one of them. The print files that sample
orders name do not exist. There is no way to remove them: use a database of its own.
`

const { values: options } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    until: { type: 'string', default: new Date().toISOString() },
    customer: { type: 'string' },
    force: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

try {
  if (options.help) console.log(HELP)
  else await seed()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function seed(): Promise<void> {
  const config = readConfig()
  if (config.production) fail('Sample orders have no place in a shop that sells: NODE_ENV is production.')
  const { database, close } = await openForCommand(config, createLog({ level: 'warn', destination: process.stderr }))
  const apart = database.openApart()
  try {
    const { db, pool } = apart
    const aProduct = await db
      .selectFrom('products')
      .select('id')
      .where('status', '=', 'active')
      .limit(1)
      .executeTakeFirst()
    if (aProduct === undefined) fail('There are no products to order yet: start the service once.')
    const anOrder = await db.selectFrom('orders').select('id').limit(1).executeTakeFirst()
    if (anOrder !== undefined && !options.force)
      fail('There are orders already. With --force sample orders come beside them; take another --seed.')
    const begin = performance.now()
    await addSampleOrders(pool, {
      orders: wholeNumber('orders', 1, 20_000_000),
      seed: wholeNumber('seed', 0, 1_000_000),
      until: time(),
      ...(options.customer === undefined ? {} : { customerId: await accountOf(options.customer) }),
      onProgress: (made) => console.log(`${made} orders after ${Math.round((performance.now() - begin) / 1000)} s`),
    })

    async function accountOf(email: string): Promise<string> {
      const user = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
      return user?.id ?? fail(`--customer: there is no account ${email}.`)
    }
  } finally {
    await apart.close()
    await close()
  }
}

function wholeNumber(name: 'orders' | 'seed', least: number, most: number): number {
  const value = Number(options[name])
  if (Number.isInteger(value) && value >= least && value <= most) return value
  return fail(`--${name} is ${JSON.stringify(options[name])}; expected a whole number from ${least} to ${most}.`)
}

function time(): Date {
  const at = new Date(options.until)
  return Number.isNaN(at.getTime()) ? fail(`--until is ${JSON.stringify(options.until)}, which is no time.`) : at
}

function fail(message: string): never {
  throw new UsageError(message)
}
