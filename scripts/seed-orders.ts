/** Fills a database with sample orders, for trying out the look and the speed of a shop after some years. */
import { InvalidArgumentError, Option } from 'commander'
import { numberOption } from '../src/commands/command-line/command.ts'
import { CommandError } from '../src/commands/command-line/command-error.ts'
import { reportFailure } from '../src/commands/command-line/report-failure.ts'
import { withDatabase } from '../src/commands/database-server.ts'
import { readConfig } from '../src/config/index.ts'
import type { DatabasePool } from '../src/platform/db/index.ts'
import { developerCommand } from './lib/developer-command.ts'
import { addSampleOrders } from './lib/sample-orders.ts'

const options = developerCommand('npm run seed --', 'Fill a database with sample orders.')
  .addOption(numberOption('--orders <count>', 'number of orders', [1, 20_000_000]).default(1000))
  .addOption(numberOption('--seed <number>', 'seed; another number results in other rows', [0, 1_000_000]).default(1))
  .addOption(
    new Option('--until <time>', 'time of the newest order; the same seed and time result in the same rows')
      .argParser(readTime)
      .default(new Date(), 'now'),
  )
  .option('--customer <email>', 'account that gets the most orders (default: a customer who cannot sign in)')
  .option('--force', 'add sample orders to a database that already contains orders', false)
  .addHelpText(
    'after',
    `
The orders go into the database of PLATEN_DATABASE_URL or PLATEN_DATA_DIR. If the service is running, it sends an event
for each of them to operators' webhooks and streams. The print files of sample orders do not exist. Sample orders cannot
be removed: use a separate database.

Exit status: 0 done, 1 rejected, 2 the command line is invalid`,
  )
  .parse()
  .opts<{ orders: number; seed: number; until: Date; customer?: string; force: boolean }>()

try {
  if (readConfig().production) throw new CommandError('Sample orders are not allowed in production. Unset NODE_ENV.')
  await withDatabase(({ database }) => seed(database))
} catch (error) {
  process.exitCode = reportFailure(error)
}

async function seed(database: DatabasePool): Promise<void> {
  const apart = database.openApart()
  try {
    const { db, pool } = apart
    const aProduct = await db
      .selectFrom('products')
      .select('id')
      .where('status', '=', 'active')
      .limit(1)
      .executeTakeFirst()
    if (aProduct === undefined) throw new CommandError('The database contains no products. Start the service once.')
    const anOrder = await db.selectFrom('orders').select('id').limit(1).executeTakeFirst()
    if (anOrder !== undefined && !options.force) {
      throw new CommandError(
        'The database already contains orders. To add sample orders, use --force and another --seed.',
      )
    }
    const begin = performance.now()
    await addSampleOrders(pool, {
      orders: options.orders,
      seed: options.seed,
      until: options.until,
      ...(options.customer === undefined ? {} : { customerId: await accountOf(options.customer) }),
      onProgress: (made) => console.log(`${made} orders after ${Math.round((performance.now() - begin) / 1000)} s`),
    })

    async function accountOf(email: string): Promise<string> {
      const user = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
      if (user === undefined)
        throw new CommandError(`No account has the email address ${email}. Use an existing account in --customer.`)
      return user.id
    }
  } finally {
    await apart.close()
  }
}

function readTime(text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('Expected a time, such as 2026-01-31T12:00:00Z.')
  return time
}
