import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Runs a reference script in its own process and returns its output. */
export async function runScript(
  path: string,
  args: string[],
  { input = '', env = process.env, flags = [] }: { input?: string; env?: NodeJS.ProcessEnv; flags?: string[] } = {},
): Promise<string> {
  const child = spawn(process.execPath, [...flags, path, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(input)
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (child.exitCode !== 0) throw new Error(`${path} ended with code ${child.exitCode}`)
  return output
}

/** Starts a server script, and waits until it prints its first line. Returns a function that stops the server. */
export async function startScript(path: string, args: string[]): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${path} ended`))),
  ])
  return async () => {
    child.kill()
    await once(child, 'exit')
  }
}
