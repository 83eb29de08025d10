import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ROOT } from './build/built.ts'
import { BUNDLES } from './build/programs.ts'

export interface ServiceProcess {
  origin: string
  child: ChildProcess
  /** Milliseconds from the start of the process until it was ready. */
  startedInMs: number
  output(): string
  /** Stops the process with SIGTERM and waits until it has ended. Returns the exit status. */
  stop(): Promise<number | null>
}

/** The module of the service in the sources. */
export const SOURCES = join(ROOT, 'src/main.ts')

let bundle: string | undefined

/** Bundles the service if its sources have changed, as `npm start` does. Returns the module of `platen`. */
export function bundleService(): string {
  if (bundle === undefined) execFileSync(process.execPath, [join(ROOT, 'scripts/build-service.ts')])
  bundle = join(BUNDLES, 'main.js')
  return bundle
}

/**
 * Starts `platen serve` as a child process, and waits until it is ready.
 *
 * @param program the module to run; by default the bundle
 */
export async function startServiceProcess(
  env: Record<string, string>,
  timeoutMs = 180_000,
  program = bundleService(),
): Promise<ServiceProcess> {
  const port = env['PLATEN_PORT'] ?? String(await freePort())
  const origin = `http://127.0.0.1:${port}`
  const begin = performance.now()
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { ...inherited(), PLATEN_PORT: port, PLATEN_PUBLIC_URL: origin, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const closed = once(child, 'close')
  // The last output of a process arrives after its end. A descendant can keep the pipes open.
  const untilClosed = () => Promise.race([closed, delay(10_000, undefined, { ref: false })])
  await untilReady(origin, child, begin + timeoutMs).catch(async (error: Error) => {
    await untilClosed()
    throw new Error(`${error.message}:\n${output}`)
  })
  return {
    origin,
    child,
    startedInMs: performance.now() - begin,
    output: () => output,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      child.kill('SIGTERM')
      await once(child, 'exit')
      await untilClosed()
      return child.exitCode
    },
  }
}

/**
 * Returns the environment without NODE_ENV and the variables that begin with PLATEN_, because these may be meant for
 * another service. One process is enough for most tests, and starts faster.
 */
export function inherited(): Record<string, string | undefined> {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('PLATEN_') && name !== 'NODE_ENV')
  return { ...Object.fromEntries(others), PLATEN_PROCESSES: '1' }
}

async function untilReady(origin: string, child: ChildProcess, deadline: number): Promise<void> {
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the service ended with code ${child.exitCode}`)
    if ((await isListening(origin)) && (await isReady(origin))) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  child.kill('SIGKILL')
  throw new Error('the service was not ready in time')
}

/** Costs a fraction of a request, and many attempts precede the first that succeeds. */
async function isListening(origin: string): Promise<boolean> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  const answers = once(socket, 'connect').then(
    () => true,
    () => false,
  )
  return answers.finally(() => socket.destroy())
}

const isReady = (origin: string): Promise<boolean> =>
  fetch(`${origin}/health/ready`).then(
    (answer) => answer.ok,
    () => false,
  )

/** Finds a free port below the range that the system uses for outgoing connections. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer().listen(port, '127.0.0.1')
    const free = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ])
    if (!free) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
