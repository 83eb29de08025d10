import { readdir, readFile } from 'node:fs/promises'

/** Returns the resident memory of a process. Works on Linux only. */
export async function residentMegabytes(pid: number): Promise<number> {
  return megabytesIn(pid, 'VmRSS')
}

/** Returns the resident memory of a process and its descendants. Works on Linux only. */
export const residentMegabytesOfAll = (pid: number): Promise<number> => sumOfAll(pid, residentMegabytes)

/**
 * Returns the proportional set size of a process: its own memory and its share of what it has in common with others. Works
 * on Linux only.
 */
export async function proportionalMegabytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024
}

/** Returns the proportional set size of a process and its descendants. Works on Linux only. */
export const proportionalMegabytesOfAll = (pid: number): Promise<number> => sumOfAll(pid, proportionalMegabytes)

/** Sums a value of a process and its descendants. Those that have ended count 0. */
async function sumOfAll(pid: number, measure: (pid: number) => Promise<number>): Promise<number> {
  const own = await measure(pid).catch(() => 0)
  const children = await Promise.all((await childPids(pid)).map((child) => sumOfAll(child, measure)))
  return children.reduce((sum, value) => sum + value, own)
}

/** Returns the peak resident memory of a process. Works on Linux only. */
export async function peakMegabytes(pid: number): Promise<number> {
  return megabytesIn(pid, 'VmHWM')
}

async function megabytesIn(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
}

/** Returns the child processes of a process that run the given script. Works on Linux only. */
export async function childrenOf(pid: number, script: string): Promise<number[]> {
  const children = await childPids(pid)
  const commands = await Promise.all(children.map((child) => readFile(`/proc/${child}/cmdline`, 'utf8')))
  return children.filter((_, index) => commands[index]?.includes(script))
}

/**
 * Returns the processor time of a process and its descendants, in milliseconds. Counts descendants that have ended if
 * their parent has waited for them. Works on Linux only.
 */
export function processorMs(pid: number): Promise<number> {
  return sumOfAll(pid, async (one) => {
    // User and system time, own and of ended children, in hundredths of a second.
    const [, , , , , , , , , , , user = 0, system = 0, ofEndedUser = 0, ofEndedSystem = 0] = await statOf(one)
    return (user + system + ofEndedUser + ofEndedSystem) * 10
  })
}

/** Returns the process that started a process. Works on Linux only. */
export async function parentOf(pid: number): Promise<number> {
  const [, parent = 0] = await statOf(pid)
  return parent
}

/** Returns the numbers in `/proc/PID/stat` after the name, which may contain spaces. The state is not a number. */
async function statOf(pid: number): Promise<number[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
}

/** Returns the child processes of a process. Linux lists them for each thread that started them. */
async function childPids(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}
