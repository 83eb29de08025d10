import { readdir, readFile } from 'node:fs/promises'

/** Resident memory of a process (Linux). */
export async function residentMegabytes(pid: number): Promise<number> {
  return megabytesIn(pid, 'VmRSS')
}

/** Resident memory of a process and all below it (Linux). */
export async function residentMegabytesOfAll(pid: number): Promise<number> {
  const own = await residentMegabytes(pid).catch(() => 0)
  const children = await Promise.all((await childPids(pid)).map(residentMegabytesOfAll))
  return children.reduce((sum, megabytes) => sum + megabytes, own)
}

/** The most resident memory a process ever had (Linux). */
export async function peakMegabytes(pid: number): Promise<number> {
  return megabytesIn(pid, 'VmHWM')
}

async function megabytesIn(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
}

/** The child processes of a process in which this script runs (Linux). */
export async function childrenOf(pid: number, script: string): Promise<number[]> {
  const children = await childPids(pid)
  const commands = await Promise.all(children.map((child) => readFile(`/proc/${child}/cmdline`, 'utf8')))
  return children.filter((_, index) => commands[index]?.includes(script))
}

/** Processor time that a process and all below it have taken so far, in milliseconds (Linux). */
export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // After the name in brackets, which may hold anything: user and system time are fields 14 and 15, in hundredths.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const own = ((fields[11] ?? 0) + (fields[12] ?? 0)) * 10
  const children = await Promise.all((await childPids(pid)).map(processorMs))
  return children.reduce((sum, ms) => sum + ms, own)
}

/** Each thread has the children it started. */
async function childPids(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}
