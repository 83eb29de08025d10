import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { HANG_MS, PROCESS } from './limits.ts'
import type { TargetName } from './target.ts'

/** The result of checking one input. */
export type Replayed = { file: string; outcome: string } | { file: string; failure: string }

/**
 * Checks files in child processes with the limits of rendering processes. If a process dies, the file that it was
 * checking fails, and another process continues with the next file.
 *
 * @param files paths of inputs. A file whose name ends in `.br` is decompressed first
 */
export async function replay(target: TargetName, files: readonly string[]): Promise<Replayed[]> {
  const results: Replayed[] = []
  while (results.length < files.length) {
    const left = files.slice(results.length)
    const { replayed, death } = await runChild(target, left)
    results.push(...replayed)
    const file = left[replayed.length]
    if (file !== undefined) results.push({ file, failure: death })
  }
  return results
}

async function runChild(
  target: TargetName,
  files: readonly string[],
): Promise<{ replayed: Replayed[]; death: string }> {
  const module = fileURLToPath(new URL('../replay-worker.ts', import.meta.url))
  const child = spawn(process.execPath, [...PROCESS.execArgv, module, target, ...files], {
    env: PROCESS.env,
    // File descriptor 4 is the pipe for the notes of the watchdog.
    stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore'],
  })
  const replayed: Replayed[] = []
  let [stderr, hung] = ['', false]
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2000)
  })
  const kill = () => {
    hung = true
    child.kill('SIGKILL')
  }
  let timer = setTimeout(kill, HANG_MS)
  createInterface(child.stdout as Readable).on('line', (line) => {
    replayed.push(JSON.parse(line) as Replayed)
    clearTimeout(timer)
    timer = setTimeout(kill, HANG_MS)
  })
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once('close', (...end) => resolve(end))
  })
  clearTimeout(timer)
  const death = hung
    ? `hangs: longer than ${HANG_MS} ms`
    : `kills the process: ${signal ?? `exit code ${code}`} ${stderr}`
  return { replayed, death }
}
