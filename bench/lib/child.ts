import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

interface RunOptions {
  input?: string
  env?: NodeJS.ProcessEnv
}

/** Runs a program and returns its output. */
export async function runProgram(
  program: string,
  args: string[],
  { input = '', env = process.env }: RunOptions = {},
): Promise<string> {
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(input)
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (child.exitCode !== 0) throw new Error(`${[program, ...args].join(' ')} ended with code ${child.exitCode}`)
  return output
}

/** Runs a reference script in its own process and returns its output. */
export async function runScript(
  path: string,
  args: string[],
  { flags = [], ...options }: RunOptions & { flags?: string[] } = {},
): Promise<string> {
  return runProgram(process.execPath, [...flags, path, ...args], options)
}

export interface RunningScript {
  pid: number
  stop(): Promise<void>
}

/** Starts a server script, and waits until it prints its first line. */
export async function startScript(path: string, args: string[]): Promise<RunningScript> {
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${path} ended`))),
  ])
  const stop = async () => {
    child.kill()
    await once(child, 'exit')
  }
  return { pid: child.pid ?? 0, stop }
}
