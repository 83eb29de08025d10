import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { inherited } from '../../scripts/lib/service-process.ts'

/** The calls of a process of the fleet. */
export interface FleetCall {
  start: { connectionString: string; count: number }
  follow: { token: string }
  collect: undefined
  close: undefined
}

export interface FleetReply {
  value?: unknown
  error?: string
}

/** The number of notices that nodes tell apart. */
export const NOTICES = 1_000
export const topicOf = (number: number): string => `bench ${number}`

/** What the nodes counted since the last call. Times are milliseconds since 1970. */
export interface Collected {
  /** For each node, when it received the notices. */
  notices: [number: number, atMs: number][][]
  /** For each node, when its stream received the events of new orders. */
  events: [orderId: string, atMs: number][][]
  /** How often the nodes sent each statement. */
  statements: [text: string, count: number][]
}

export interface Fleet {
  /** Starts further nodes, until there are this many. */
  growTo(count: number): Promise<void>
  /** Opens an event stream on each node. */
  follow(token: string): Promise<void>
  collect(): Promise<Collected>
  pids(): number[]
  close(): Promise<void>
}

const NODES_PER_PROCESS = 25

/** Starts no node yet. @param env settings that all nodes have */
export function createFleet(connectionString: string, env: Record<string, string>): Fleet {
  const members: Member[] = []

  const callAll = <Name extends keyof FleetCall>(name: Name, input: FleetCall[Name]): Promise<unknown[]> =>
    Promise.all(members.map((member) => callOne(member, name, input)))

  return {
    growTo: async (count) => {
      let missing = count - members.reduce((sum, { nodes }) => sum + nodes, 0)
      while (missing > 0) {
        let member = members.find(({ nodes }) => nodes < NODES_PER_PROCESS)
        if (member === undefined) {
          member = forkMember(env)
          members.push(member)
        }
        const added = Math.min(missing, NODES_PER_PROCESS - member.nodes)
        await callOne(member, 'start', { connectionString, count: added })
        member.nodes += added
        missing -= added
      }
    },
    follow: async (token) => {
      await callAll('follow', { token })
    },
    collect: async () => {
      const parts = (await callAll('collect', undefined)) as Collected[]
      const statements = new Map<string, number>()
      for (const [text, count] of parts.flatMap((part) => part.statements)) {
        statements.set(text, (statements.get(text) ?? 0) + count)
      }
      return {
        notices: parts.flatMap(({ notices }) => notices),
        events: parts.flatMap(({ events }) => events),
        statements: [...statements],
      }
    },
    pids: () => members.map(({ child }) => child.pid ?? 0),
    close: async () => {
      await Promise.all(
        members.map(async ({ child, ended }) => {
          if (child.connected) child.send({ name: 'close' })
          await ended
        }),
      )
    },
  }
}

interface Member {
  child: ChildProcess
  ended: Promise<unknown>
  nodes: number
}

function forkMember(env: Record<string, string>): Member {
  const script = join(import.meta.dirname, 'fleet-process.ts')
  const child = fork(script, { env: { ...inherited(), ...env }, serialization: 'advanced' })
  return { child, ended: once(child, 'exit'), nodes: 0 }
}

/** One call at a time: the next message is the reply. */
async function callOne({ child, ended }: Member, name: keyof FleetCall, input: unknown): Promise<unknown> {
  child.send({ name, input })
  const lost = ended.then(() => Promise.reject(new Error('a process of the fleet ended')))
  const [reply] = (await Promise.race([once(child, 'message'), lost])) as [FleetReply]
  if (reply.error !== undefined) throw new Error(reply.error)
  return reply.value
}
